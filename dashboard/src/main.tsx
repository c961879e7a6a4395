import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/frame.css";
import "./styles/charts.css";
// The styles of the first page come with the router; those for touch and paper change all before them.
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient, router } from "./app/router.tsx";
import { followPrinting } from "./state/printing.ts";
import { applyTheme } from "./state/theme.ts";
import "./styles/touch.css";
import "./styles/print.css";

applyTheme();
followPrinting();

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
