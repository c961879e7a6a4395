// The part of the SDK without React.
import { FormoAnalytics } from "@formo/analytics/core";

const { VITE_WRITE_KEY, VITE_EVENTS_URL = "http://127.0.0.1:3001" } = import.meta.env;
const [connect, swap, state] = ["connect", "swap", "state"].map((id) => document.getElementById(id));
if (!VITE_WRITE_KEY) state.textContent = "Start the example with VITE_WRITE_KEY: without it, no event is sent";

// Wallets announce themselves (EIP-6963), also those that were installed later.
const wallets = [];
addEventListener("eip6963:announceProvider", ({ detail }) => wallets.push(detail));
dispatchEvent(new Event("eip6963:requestProvider"));

// `tracking: true` is needed on localhost only, where the SDK is silent otherwise.
const analytics = await FormoAnalytics.init(VITE_WRITE_KEY, {
  apiHost: `${VITE_EVENTS_URL}/v0/raw_events`,
  tracking: true,
});

// The SDK listens to the wallet and sends the connection by itself.
connect.addEventListener("click", async () => {
  const [wallet] = wallets;
  if (wallet === undefined) {
    state.textContent = "No wallet was found: install an extension and load the page again";
    return;
  }
  const [address] = await wallet.provider.request({ method: "eth_requestAccounts" });
  state.textContent = `${wallet.info.name}: ${address}`;
  swap.disabled = false;
});

// Reports add up `volume` and `revenue`.
swap.addEventListener("click", async () => {
  await analytics.track("Swap", { pair: "USDC/ETH", volume: 500, revenue: 1.5 });
  state.textContent = "Swapped";
});
