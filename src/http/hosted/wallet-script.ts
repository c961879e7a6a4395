/**
 * The one script of hosted pages, on forms that ask for a signature alone. It lists the wallets of the browser
 * (EIP-6963; otherwise `window.ethereum`), asks the chosen one for its address and its signature under the server's
 * message, and puts both into the field. It is in the page, so that the policy names its hash and no other file loads.
 */
export const WALLET_SCRIPT = `
"use strict";
(() => {
  const wallets = new Map();
  const boxes = [...document.querySelectorAll("[data-wallet-proof]")];
  const path = location.pathname.replace(/\\/+$/, "") + "/wallet";
  const toHex = (text) => "0x" + [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  async function prove(box, provider) {
    const say = (text) => { box.querySelector("[role=status]").textContent = text; };
    const buttons = box.querySelectorAll("button");
    for (const button of buttons) button.disabled = true;
    try {
      say("Look at your wallet: it asks for your consent.");
      const [address] = await provider.request({ method: "eth_requestAccounts" });
      const chainId = Number(await provider.request({ method: "eth_chainId" }));
      const answer = await fetch(path, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json" },
        body: JSON.stringify({ address, chainId }),
      });
      if (!answer.ok) throw new Error("refused");
      const { data } = await answer.json();
      const signature = await provider.request({ method: "personal_sign", params: [toHex(data.message), address] });
      if (typeof signature !== "string") throw new Error("not signed");
      box.querySelector("input[type=hidden]").value =
        JSON.stringify({ address, challengeToken: data.challengeToken, signature });
      box.querySelector("input[readonly]").value = address;
      say("Signed. To answer with another wallet, choose it again.");
    } catch {
      say("The wallet did not sign. Please try again.");
    }
    for (const button of buttons) button.disabled = false;
  }
  function draw() {
    for (const box of boxes) {
      const place = box.querySelector("[data-wallets]");
      place.replaceChildren(...[...wallets].map(([name, provider]) => {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "connect";
        button.textContent = "Sign with " + name;
        button.addEventListener("click", () => prove(box, provider));
        return button;
      }));
    }
  }
  function sayAll(text) {
    for (const box of boxes) box.querySelector("[role=status]").textContent = text;
  }
  addEventListener("eip6963:announceProvider", ({ detail }) => {
    if (wallets.size === 0) sayAll("");
    wallets.set(String(detail.info.name).slice(0, 60), detail.provider);
    draw();
  });
  dispatchEvent(new Event("eip6963:requestProvider"));
  if (wallets.size === 0 && window.ethereum) wallets.set("your wallet", window.ethereum);
  draw();
  // The page says that it needs JavaScript, and it has it.
  sayAll(wallets.size > 0 ? "" :
    "No wallet was found in this browser. Open this page where your wallet is installed, or in the browser of your wallet app.");
})();
`;
