/**
 * One OpenID Connect provider by openid-client: authorization code with PKCE, state and nonce. Loaded for the first
 * person who uses it.
 */
import type { Configuration } from "openid-client";
import { ApiError } from "../contract/errors.ts";
import type { Identity } from "./identities.ts";

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What the button says. */
  name: string;
}

/** What the browser keeps, sealed, until it returns from the provider. */
export interface OidcSecrets {
  state: string;
  nonce: string;
  verifier: string;
}

export interface Oidc {
  readonly name: string;
  begin(redirectUrl: string): Promise<{ url: string; secrets: OidcSecrets }>;
  /** Undefined if the provider, or whoever sent the browser back, does not confirm the sign-in. */
  finish(returnedUrl: URL, secrets: OidcSecrets): Promise<Identity | undefined>;
}

const TIMEOUT_SECONDS = 10;

export function createOidc(settings: OidcSettings): Oidc {
  let known: Promise<Configuration> | undefined;
  /** Read once. A provider that did not answer is asked again. */
  const discover = (): Promise<Configuration> => {
    known ??= readProvider(settings).catch((cause: unknown) => {
      known = undefined;
      throw new ApiError("SERVICE_UNAVAILABLE", "The OpenID Connect provider does not answer", { cause });
    });
    return known;
  };
  return {
    name: settings.name,
    async begin(redirectUrl) {
      const client = await import("openid-client");
      const config = await discover();
      const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUrl,
        scope: "openid",
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state,
        nonce,
      });
      return { url: url.href, secrets: { state, nonce, verifier } };
    },
    async finish(returnedUrl, { state, nonce, verifier }) {
      const client = await import("openid-client");
      const config = await discover();
      try {
        const tokens = await client.authorizationCodeGrant(config, returnedUrl, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        return claims && { issuer: claims.iss, subject: claims.sub };
      } catch {
        return undefined;
      }
    },
  };
}

async function readProvider({ issuer, clientId, clientSecret }: OidcSettings): Promise<Configuration> {
  const { discovery, allowInsecureRequests } = await import("openid-client");
  const url = new URL(issuer);
  // Plain http only to this machine: a trial with a provider beside it.
  const isLocal = url.protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  return discovery(url, clientId, clientSecret, undefined, {
    timeout: TIMEOUT_SECONDS,
    ...(isLocal ? { execute: [allowInsecureRequests] } : {}),
  });
}
