import { defineConfig } from "vite";

/** Where `npm run dev -w dashboard` finds a running service. */
const SERVICE = process.env.DEV_SERVICE_URL ?? "http://127.0.0.1:3000";

/** The oldest browsers with `light-dark()`, on which the styles rely. */
const BROWSERS = ["chrome125", "edge125", "firefox128", "safari17.5"];

/**
 * How names of files begin that are no parts of the first screen: those of some pages (4.9 of the 165 kB that it had
 * with them), and charts, fields, dialogs and notes that are loaded when they are drawn.
 */
const SOME_PAGES = [
  "passkey",
  "wallet",
  "snippet",
  "step",
  "forms",
  "resource-list",
  "reasons-table",
  "column-select",
  "schedule",
  "alert-words",
  "telling",
  "row-table",
  "event-row",
];
const OPENED = ["request-dialog", "which-bots", "imported", "explorer"];
const LATER = [...SOME_PAGES, ...OPENED, "later", "combobox", "sql-editor", "boards", "picture"];

/** Also the drawing of charts: the first screen and shared pages have it. */
const PARTS = new RegExp(`dashboard/src/((api|format|state|ui|charts)/(?!${LATER.join("|")})|panels/chart-drawing)`);

export default defineConfig(async ({ command }) => ({
  // Only while somebody works on the sources: a changed component replaces itself in the page.
  plugins: command === "serve" ? [(await import("@vitejs/plugin-react")).default()] : [],
  // Relative, so that the same files work below any path: the service writes the prefix into <base href>.
  base: "./",
  oxc: { jsx: { runtime: "automatic" } },
  build: {
    target: BROWSERS,
    cssTarget: BROWSERS,
    cssCodeSplit: true,
    // The policy forbids data: URLs of scripts and fonts, and one file more is cheaper than base64 in a script.
    assetsInlineLimit: 0,
    // The notices that the licences of the packages in these files ask for.
    license: { fileName: "licences.txt" },
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // Packages mark their modules for a renderer on a server, which this page has not.
      checks: { moduleLevelDirective: false, pluginTimings: false },
      output: {
        // Few files: what every page needs is one file of packages and one of our own parts.
        codeSplitting: {
          groups: [
            { name: "packages", test: /node_modules\/(react|react-dom|scheduler|@tanstack)\// },
            { name: "parts", test: PARTS },
          ],
        },
        entryFileNames: "assets/[name]-[hash].js",
        chunkFileNames: "assets/[name]-[hash].js",
        assetFileNames: "assets/[name]-[hash][extname]",
      },
    },
  },
  server: {
    proxy: Object.fromEntries(["/v0", "/api", "/auth", "/f/", "/docs"].map((path) => [path, { target: SERVICE }])),
  },
}));
