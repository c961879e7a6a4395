/** A tiny OpenID Connect provider on loopback: everybody who comes is the one user that the test names. */
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface TestProvider {
  issuer: string;
  /** Who signs in next. */
  subject: string;
  /** Changes the claims of the next id tokens. */
  changes: Record<string, unknown>;
  /** What a browser does there: the URL that it is sent back to. */
  visit(authorizationUrl: string): string;
  close(): void;
}

export const CLIENT = { clientId: "sextant", clientSecret: "secret", name: "Test" };

export async function startProvider(): Promise<TestProvider> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const codes = new Map<string, URLSearchParams>();
  const server = createServer((request, response) => {
    void answer(request).then((body) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function makeToken(asked: URLSearchParams): string {
    const seconds = Math.floor(Date.now() / 1000);
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = {
      iss: issuer,
      aud: CLIENT.clientId,
      sub: provider.subject,
      nonce: asked.get("nonce"),
      iat: seconds,
      exp: seconds + 60,
      ...provider.changes,
    };
    const head = `${encode({ alg: "RS256", kid: "one" })}.${encode(claims)}`;
    return `${head}.${sign("sha256", Buffer.from(head), privateKey).toString("base64url")}`;
  }

  async function answer(request: IncomingMessage): Promise<object> {
    if (request.url === "/.well-known/openid-configuration")
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      };
    if (request.url === "/jwks")
      return { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "one", alg: "RS256", use: "sig" }] };
    const sent = new URLSearchParams(await text(request));
    const asked = codes.get(sent.get("code") ?? "");
    codes.delete(sent.get("code") ?? "");
    const proof = createHash("sha256")
      .update(sent.get("code_verifier") ?? "")
      .digest("base64url");
    if (asked?.get("code_challenge") !== proof) return { error: "invalid_grant" };
    return { access_token: randomUUID(), token_type: "Bearer", id_token: makeToken(asked) };
  }

  const provider: TestProvider = {
    issuer,
    subject: "ada",
    changes: {},
    visit(authorizationUrl) {
      const { origin, searchParams } = new URL(authorizationUrl);
      assert.equal(origin, issuer);
      assert.equal(searchParams.get("code_challenge_method"), "S256");
      const code = randomUUID();
      codes.set(code, searchParams);
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      back.searchParams.set("code", code);
      back.searchParams.set("state", searchParams.get("state") ?? "");
      return back.href;
    },
    close: () => server.close(),
  };
  return provider;
}
