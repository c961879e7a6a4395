/**
 * From the order to print until the end of it, the page has the layout of paper: charts measure their width there
 * before the browser draws the sheets. Called before anything is drawn, so that this listener is the first.
 */
export function followPrinting(): void {
  const { classList } = document.documentElement;
  window.addEventListener("beforeprint", () => classList.add("printing"));
  window.addEventListener("afterprint", () => classList.remove("printing"));
}
