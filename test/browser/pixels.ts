/**
 * Pictures of pages, compared in the browser: its canvas decodes them and makes them smaller, so no package does.
 * A picture is compared at two fifths of its size, where the smoothing of letters no longer counts.
 */
import type { Page } from "playwright-core";

const SCALE = 0.4;
/** Of 255 levels of a colour: a line that moved by two pixels differs by more. */
const SEEN_LEVELS = 40;

/** Run in the browser: these sources are compiled without its types. */
const READ = `async (url, scale) => {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(image.width * scale);
  canvas.height = Math.round(image.height * scale);
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}`;
const COMPARE = `async (one, other, levels) => {
  const [a, b] = await Promise.all([one, other].map(async (url) => {
    const canvas = await (${READ})(url, 1);
    return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  }));
  if (a.width !== b.width || a.height !== b.height) return 1;
  let different = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    if ([0, 1, 2].some((part) => Math.abs(a.data[at + part] - b.data[at + part]) > levels)) different += 1;
  }
  return different / (a.width * a.height);
}`;

/** The whole page, as a small WebP: a tenth of the bytes of a PNG. What stands in `changing` is covered. */
export async function takePicture(page: Page, canvas: Page, changing: string): Promise<Buffer> {
  const mask = [page.locator(changing)];
  const shot = await page.screenshot({ fullPage: true, animations: "disabled", caret: "hide", mask });
  const small = await canvas.evaluate<string>(
    `(${READ})("${toUrl(shot, "png")}", ${SCALE}).then((canvas) => canvas.toDataURL("image/webp", 0.7))`,
  );
  return Buffer.from(small.slice(small.indexOf(",") + 1), "base64");
}

/** The share of pixels whose colour differs visibly; 1 for pictures of different sizes. */
export async function differenceOf(canvas: Page, one: Buffer, other: Buffer): Promise<number> {
  return canvas.evaluate<number>(`(${COMPARE})("${toUrl(one)}", "${toUrl(other)}", ${SEEN_LEVELS})`);
}

function toUrl(picture: Buffer, type = "webp"): string {
  return `data:image/${type};base64,${picture.toString("base64")}`;
}
