/** A panel as a picture: its elements with their computed styles, drawn by the browser itself. */

/** Sharp on screens of any density. */
const SCALE = 2;

/** What makes the look; all of the 350 properties of each element would make a file of megabytes. */
const PROPERTIES = [
  ...["display", "position", "inset", "top", "left", "right", "bottom", "z-index", "float", "box-sizing", "overflow"],
  ...["width", "height", "min-width", "min-height", "max-width", "max-height", "margin", "padding", "gap", "order"],
  ...["flex", "flex-direction", "flex-wrap", "align-items", "align-content", "align-self", "justify-content"],
  ...["justify-items", "justify-self", "grid-template-columns", "grid-template-rows", "grid-column", "grid-row"],
  ...["border", "border-top", "border-right", "border-bottom", "border-left", "border-radius", "border-collapse"],
  ...["border-spacing", "background-color", "background-image", "background-size", "box-shadow", "opacity", "color"],
  ...["font-family", "font-size", "font-weight", "font-style", "font-variant-numeric", "letter-spacing", "line-height"],
  ...["text-align", "text-transform", "text-overflow", "text-decoration", "vertical-align", "white-space"],
  ...["overflow-wrap", "list-style", "transform", "transform-origin", "visibility", "fill", "fill-opacity", "stroke"],
  ...["stroke-width", "stroke-dasharray", "stroke-linejoin", "stroke-linecap", "stroke-opacity", "text-anchor"],
  ...["dominant-baseline", "clip-path", "content-visibility"],
];

export async function pictureOf(panel: HTMLElement): Promise<Blob> {
  const copy = copyOf(panel) as HTMLElement;
  for (const tools of copy.querySelectorAll(".panel-actions, .board-grip, .slow, dialog, .chart-tip")) tools.remove();
  for (const head of copy.querySelectorAll<HTMLElement>(".board-head")) head.style.margin = "0";
  const { width } = panel.getBoundingClientRect();
  const height = panel.getBoundingClientRect().height + hiddenHeight(panel);
  copy.style.margin = "0";
  copy.style.height = `${height}px`;
  copy.style.boxShadow = "none";
  const text = new XMLSerializer().serializeToString(copy);
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">` +
    `<foreignObject width="100%" height="100%">${text}</foreignObject></svg>`;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * SCALE);
  canvas.height = Math.round(height * SCALE);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("This browser draws no pictures.");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error("There is no picture.")) : resolve(blob)), "image/png");
  });
}

/** A list that scrolls is whole in its picture. */
const MOST_HIDDEN = 4000;

function hiddenHeight(panel: HTMLElement): number {
  const hidden = [...panel.querySelectorAll<HTMLElement>(".panel-body, .panel-body *")].map(
    ({ scrollHeight, clientHeight, clientWidth }) => (clientWidth > 1 ? scrollHeight - clientHeight : 0),
  );
  return Math.min(MOST_HIDDEN, Math.max(0, ...hidden));
}

/** Set one by one: the page's policy forbids a `style` that comes as a text. */
function copyOf(element: Element): Element {
  const copy = element.cloneNode(false) as HTMLElement | SVGElement;
  const style = getComputedStyle(element);
  const isScrolled = element instanceof HTMLElement && element.scrollHeight > element.clientHeight + 1;
  for (const name of PROPERTIES) copy.style.setProperty(name, style.getPropertyValue(name));
  if (isScrolled && !element.classList.contains("hidden")) {
    copy.style.setProperty("height", "auto");
    copy.style.setProperty("max-height", "none");
    copy.style.setProperty("overflow", "visible");
  }
  for (const child of element.childNodes) {
    copy.append(child instanceof Element ? copyOf(child) : child.cloneNode());
  }
  return copy;
}
