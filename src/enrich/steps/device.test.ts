import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Device } from "../row.ts";
import { sampleDraft } from "../testing.ts";
import type { Fields } from "../text.ts";
import { loadWalletTokens, readAgent } from "../user-agent.ts";
import { makePutDevice } from "./device.ts";

const wallets = loadWalletTokens();
const putDevice = makePutDevice((text) => readAgent(wallets, text));

const WEBKIT = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
const BLINK = "AppleWebKit/537.36 (KHTML, like Gecko)";
const IPHONE = `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${WEBKIT}`;
const PIXEL = `Mozilla/5.0 (Linux; Android 14; Pixel 8) ${BLINK} Chrome/126.0.0.0 Mobile Safari/537.36`;
const WINDOWS = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${BLINK} Chrome/126.0.0.0 Safari/537.36`;

type Found = [device: Device, browser: string, os: string];

const AGENTS: [userAgent: string, ...found: Found][] = [
  [WINDOWS, "desktop", "chrome", "windows"],
  [`${WINDOWS} Edg/126.0.0.0`, "desktop", "edge", "windows"],
  [`${WINDOWS} OPR/111.0.0.0`, "desktop", "opera", "windows"],
  [`${WINDOWS} Brave/126`, "desktop", "brave", "windows"],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/17.5 Safari/605.1.15`,
    "desktop",
    "safari",
    "macos",
  ],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0", "desktop", "firefox", "linux"],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${BLINK} Chrome/126.0.0.0 Safari/537.36`, "desktop", "chrome", "chromeos"],
  ["Mozilla/5.0 (X11; FreeBSD amd64; rv:127.0) Gecko/20100101 Firefox/127.0", "desktop", "firefox", ""],
  [`${IPHONE} Version/17.5 Mobile/15E148 Safari/604.1`, "mobile-ios", "safari", "ios"],
  [`${IPHONE} CriOS/126.0 Mobile/15E148 Safari/604.1`, "mobile-ios", "chrome", "ios"],
  [`${IPHONE} FxiOS/127.0 Mobile/15E148 Safari/605.1.15`, "mobile-ios", "firefox", "ios"],
  [
    `Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) ${WEBKIT} Version/17.5 Mobile/15E148 Safari/604.1`,
    "tablet",
    "safari",
    "ios",
  ],
  [PIXEL, "mobile-android", "chrome", "android"],
  [`Mozilla/5.0 (Linux; Android 13; SM-X700) ${BLINK} Chrome/126.0.0.0 Safari/537.36`, "tablet", "chrome", "android"],
  [
    `Mozilla/5.0 (Linux; Android 14; SM-S918B) ${BLINK} SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36`,
    "mobile-android",
    "samsung internet",
    "android",
  ],
  // In-app browsers of wallets.
  [`${PIXEL} WebView MetaMaskMobile`, "mobile-android", "metamask", "android"],
  [`${IPHONE} Version/17.5 Mobile/15E148 Safari/604.1 MetaMaskMobile`, "mobile-ios", "metamask", "ios"],
  [`${IPHONE} Mobile/15E148 Trust/8.1`, "mobile-ios", "trust wallet", "ios"],
  [`${PIXEL} CoinbaseWallet/28.1`, "mobile-android", "coinbase wallet", "android"],
  [`${IPHONE} Mobile/15E148 Phantom/ios`, "mobile-ios", "phantom", "ios"],
  [`${PIXEL} Rainbow/1.9`, "mobile-android", "rainbow", "android"],
  [`${IPHONE} Mobile/15E148 OKApp/(OKEx/6.60.0)`, "mobile-ios", "okx", "ios"],
  [`${PIXEL} BitKeep Android/v8.1`, "mobile-android", "bitget wallet", "android"],
  [`${PIXEL} TokenPocket_Android`, "mobile-android", "tokenpocket", "android"],
  [`${IPHONE} Mobile/15E148 imToken/2.14.1 iOS`, "mobile-ios", "imtoken", "ios"],
  [`${PIXEL} SafePal/4.4`, "mobile-android", "safepal", "android"],
  [`${PIXEL} BNC/2.87.0 (build 8700001; Android)`, "mobile-android", "binance", "android"],
  [`${IPHONE} Mobile/15E148 Uniswap/1.30`, "mobile-ios", "uniswap wallet", "ios"],
  [`${IPHONE} Mobile/15E148 Zerion/1.100`, "mobile-ios", "zerion", "ios"],
  // No wallets, although they contain a wallet's letters.
  [`${WINDOWS} Trustworthy/1.0`, "desktop", "chrome", "windows"],
  [`${WINDOWS} xRainbowx`, "desktop", "chrome", "windows"],
  // Neither iOS nor Android nor a desktop.
  ["Mozilla/5.0 (Mobile; Nokia_8110_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5", "", "firefox", ""],
];

const GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const BOTS: [userAgent: string, name: string][] = [
  [GOOGLEBOT, "googlebot"],
  [`${PIXEL} (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`, "googlebot"],
  ["Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)", "gptbot"],
  ["Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)", "ahrefsbot"],
  ["Mozilla/5.0 (compatible; Looker; +http://looker.example/bot.html)", ""],
  [`Mozilla/5.0 (X11; Linux x86_64) ${BLINK} HeadlessChrome/126.0 Safari/537.36`, "headlesschrome"],
  [`Mozilla/5.0 (Unknown; Linux x86_64) ${BLINK} PhantomJS/2.1.1 Safari/538.1`, "phantomjs"],
  ["facebookexternalhit/1.1", "facebookexternalhit"],
  ["curl/8.5.0", "curl"],
  ["python-requests/2.32", "python-requests"],
  [`${"x".repeat(400)}/1.0`, "x".repeat(40)],
];

function found(userAgent: string, context: Fields, channel = "web"): Found {
  const draft = sampleDraft({ context: { ...context, user_agent: userAgent }, row: { channel } });
  putDevice(draft);
  return [draft.row.device, draft.row.browser, draft.row.os];
}

describe("device, browser, os", () => {
  for (const [userAgent, ...expected] of AGENTS) {
    it(`${userAgent} is ${expected.join(", ")}`, () => assert.deepEqual(found(userAgent, {}), expected));
  }

  for (const [userAgent, name] of BOTS) {
    it(`${userAgent} is a bot, named ${name}`, () => assert.deepEqual(found(userAgent, {}).slice(0, 2), ["bot", name]));
  }

  const told: [name: string, context: Fields, ...found: Found][] = [
    ["an iPhone app", { device: "mobile", os: "iOS" }, "mobile-ios", "", "ios"],
    ["an Android app", { device_type: "phone", os_name: "Android" }, "mobile-android", "", "android"],
    ["an iPad app", { device_type: "Tablet", os_name: "iPadOS" }, "tablet", "", "ios"],
    ["only the system", { os_name: "Android" }, "mobile-android", "", "android"],
    ["a desktop app", { os: "Mac OS X", browser: "Electron" }, "desktop", "electron", "macos"],
    ["a model instead of a kind", { device: "iPhone15,3", os: "ios" }, "mobile-ios", "", "ios"],
    ["nothing", {}, "", "", ""],
    ["nonsense", { device: {}, os: ["x"], browser: null }, "", "", ""],
    [
      "a name of the language itself",
      { device: "constructor", os: "__proto__", browser: "toString" },
      "",
      "tostring",
      "__proto__",
    ],
  ];
  for (const [name, context, ...expected] of told) {
    it(`without a user agent: ${name}`, () => assert.deepEqual(found("", context, "mobile"), expected));
  }

  it("the user agent wins over the client's own value, except for browsers that pose as Chrome", () => {
    assert.deepEqual(found(WINDOWS, { browser: "firefox", os: "linux", device: "tablet" }), [
      "desktop",
      "chrome",
      "windows",
    ]);
    assert.deepEqual(found(WINDOWS, { browser: "brave" }), ["desktop", "brave", "windows"]);
    assert.deepEqual(found(WINDOWS, { browser: "unknown" }), ["desktop", "chrome", "windows"]);
  });

  for (const channel of ["mobile", "server", "api", "import"]) {
    it(`${channel}: an HTTP library is not a bot, a crawler is`, () => {
      assert.deepEqual(found("okhttp/4.9", { os: "android" }, channel), ["mobile-android", "", "android"]);
      assert.equal(found("node", {}, channel)[0], "");
      assert.equal(found(GOOGLEBOT, {}, channel)[0], "bot");
    });
  }
});
