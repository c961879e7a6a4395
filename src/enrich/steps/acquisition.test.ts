import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ACQUISITION_CHANNELS, type AcquisitionChannel, type EventRow } from "../row.ts";
import { loadSources } from "../sources.ts";
import { sampleDraft } from "../testing.ts";
import { makePutAcquisition } from "./acquisition.ts";

const putAcquisition = makePutAcquisition(loadSources());

type Signals = Partial<EventRow>;

function from(referrer: string, more: Signals = {}): Signals {
  return { referrer, ...more };
}

function tagged(utm_source: string, utm_medium: string, more: Signals = {}): Signals {
  return { utm_source, utm_medium, ...more };
}

function via(utm_medium: string, more: Signals = {}): Signals {
  return { utm_medium, ...more };
}

const CASES: Readonly<Record<AcquisitionChannel, readonly Signals[]>> = {
  "Paid Search": [
    from("google.com", via("cpc")),
    from("google.de", via("ppc")),
    from("bing.com", via("sem")),
    from("duckduckgo.com", via("paidsearch")),
    from("search.brave.com", via("paid-anything")),
    from("yandex.ru", via("PAID")),
    from("google.com", { gclid: "1" }),
    tagged("google", "cpc"),
    tagged("Google", "CPC"),
    tagged("adwords", "retargeting"),
    tagged("bing.com", "cpm"),
    tagged("google", "", { gclid: "1" }),
    { gclid: "1" },
    { gad_source: "1" },
    { msclkid: "1" },
    // This rule precedes Email, Referrals, Display and the organic mediums.
    { gclid: "1", utm_medium: "email" },
    { gclid: "1", utm_medium: "display" },
    { gclid: "1", utm_medium: "organic" },
    from("google.com", via("cpc", { ref: "alice" })),
    from("google.com", via("affiliate", { gclid: "1" })),
    // The referrer is the source, whatever the tags say.
    from("google.com", tagged("facebook", "cpc")),
    from("google.com", { fbclid: "1" }),
  ],
  "Paid Video": [
    from("youtube.com", via("cpc")),
    from("m.youtube.com", via("cpv")),
    from("youtu.be", { gclid: "1" }),
    from("twitch.tv", via("paid")),
    tagged("youtube", "cpv"),
    tagged("yt", "paidvideo"),
    tagged("YouTube", "display", { gclid: "1" }),
    from("vimeo.com", via("cpa", { ref: "alice" })),
  ],
  "Paid Social": [
    from("l.facebook.com", via("paidsocial")),
    from("t.co", via("cpc")),
    from("instagram.com", { fbclid: "1" }),
    tagged("fb", "cpc"),
    tagged("IG", "Paid_Social"),
    tagged("x", "cpa"),
    tagged("linkedin", "cpm"),
    tagged("facebook", "social", { fbclid: "1" }),
    { fbclid: "1" },
    { ttclid: "1" },
    { twclid: "1" },
    { li_fat_id: "1" },
    { rdt_cid: "1" },
    from("reddit.com", via("newsletter", { rdt_cid: "1" })),
    from("t.me", via("cpc", { ref: "alice" })),
  ],
  Email: [
    via("email"),
    via("E-Mail"),
    via("e_mail"),
    via("Newsletter"),
    from("mail.google.com"),
    from("com.google.android.gm"),
    from("outlook.live.com"),
    from("mail.proton.me"),
    from("mail.yahoo.com"),
    from("someone.substack.com"),
    from("paragraph.com"),
    // This rule precedes Referrals, Display, AI and the rest; a paid signal does not outrank it.
    from("mail.google.com", { ref: "alice" }),
    from("mail.google.com", via("cpc")),
    from("beehiiv.com", via("display")),
    from("google.com", via("email")),
    from("chatgpt.com", via("email")),
    tagged("taboola", "email"),
    via("email", { ref: "alice" }),
    { utm_source: "substack" },
  ],
  Referrals: [
    via("affiliate"),
    via("Referral"),
    { ref: "alice" },
    from("google.com", { ref: "alice" }),
    from("chatgpt.com", { ref: "alice" }),
    from("example.org", { ref: "alice" }),
    via("display", { ref: "alice" }),
    via("organic", { ref: "alice" }),
    tagged("taboola", "referral"),
    from("x.com", via("affiliate")),
    // A paid signal from an unlisted source does not outrank a referral code.
    from("example.org", via("cpc", { ref: "alice" })),
  ],
  Display: [
    via("display"),
    via("Banner"),
    via("expandable"),
    via("interstitial"),
    from("googleads.g.doubleclick.net"),
    from("taboola.com"),
    { utm_source: "taboola" },
    tagged("Coinzilla", "native"),
    { utm_source: "outbrain.com" },
    // A paid signal that no earlier rule matches.
    via("cpc"),
    tagged("acme", "cpm"),
    from("example.org", via("cpc")),
    from("example.org", { gclid: "1" }),
    from("chatgpt.com", via("cpc")),
    tagged("chatgpt", "paid"),
    // This rule precedes AI and the organic channels.
    from("chatgpt.com", via("display")),
    from("google.com", via("banner")),
    from("facebook.com", via("display")),
    from("youtube.com", via("display")),
    tagged("taboola", "organic"),
  ],
  AI: [
    from("chatgpt.com"),
    from("claude.ai"),
    from("gemini.google.com"),
    from("copilot.microsoft.com"),
    from("perplexity.ai"),
    from("grok.com"),
    from("com.openai.chatgpt"),
    from("chat.deepseek.com"),
    from("chatgpt.com", tagged("chatgpt.com", "")),
    from("claude.ai", via("organic")),
    from("claude.ai", via("social")),
    { utm_source: "chatgpt.com" },
    tagged("ChatGPT.com", "post"),
    tagged("perplexity", "social"),
  ],
  "Organic Search": [
    from("google.com"),
    from("google.co.uk"),
    from("news.google.com"),
    from("duckduckgo.com"),
    from("search.yahoo.com"),
    from("com.google.android.googlequicksearchbox"),
    via("organic"),
    via("Organic"),
    from("facebook.com", via("organic")),
    from("youtube.com", via("organic")),
    from("google.com", via("social")),
    from("bing.com", tagged("newsletter", "post")),
    { utm_source: "google" },
    tagged("google", "social"),
  ],
  "Organic Social": [
    from("facebook.com"),
    from("t.co"),
    from("x.com"),
    from("out.reddit.com"),
    from("com.twitter.android"),
    from("warpcast.com"),
    from("t.me"),
    via("social"),
    via("Social-Network"),
    via("social-media"),
    via("SM"),
    from("youtube.com", via("social")),
    from("example.org", via("social")),
    from("tiktok.com"),
    { utm_source: "twitter" },
    tagged("farcaster", "post"),
  ],
  "Organic Video": [
    { utm_source: "youtube" },
    from("youtube.com"),
    from("youtu.be"),
    from("twitch.tv"),
    from("loom.com", tagged("acme", "post")),
  ],
  Referrers: [
    from("example.org"),
    from("github.com"),
    from("docs.google.com"),
    from("notgoogle.com"),
    from("10.0.0.2"),
    from("example.org", via("post")),
    { utm_source: "acme" },
    tagged("partner", "post"),
    // The referrer is the source, whatever the tags say.
    from("example.org", tagged("chatgpt.com", "")),
  ],
  Direct: [
    {},
    via("post"),
    { utm_campaign: "spring" },
    { origin: "example.com", pathname: "/", page_url: "https://example.com/" },
  ],
};

describe("acquisition channel", () => {
  for (const channel of ACQUISITION_CHANNELS) {
    for (const signals of CASES[channel]) {
      it(`${JSON.stringify(signals)} is ${channel}`, () => {
        const draft = sampleDraft({ row: signals });
        putAcquisition(draft);
        assert.equal(draft.row.acquisition, channel);
      });
    }
  }

  it("is covered by at least 80 cases", () => {
    assert.ok(Object.values(CASES).flat().length >= 80);
  });
});
