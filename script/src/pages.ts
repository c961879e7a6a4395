/** Calls back for each page of a site, also where a script changes the page (history of the browser). */
export function watchPages(view: () => void): void {
  let last = "";
  const look = () => {
    const here = location.pathname + location.search;
    if (here === last) return;
    last = here;
    // The title is set after the address.
    setTimeout(view);
  };
  for (const name of ["pushState", "replaceState"] as const) {
    const original = history[name];
    history[name] = function (this: History, ...args: Parameters<History["pushState"]>) {
      original.apply(this, args);
      look();
    };
  }
  addEventListener("popstate", look);
  look();
}
