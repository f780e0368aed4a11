// Saves any chart as SVG or PNG, in the colours shown.

import { el, svg } from "./dom.js";

const STYLED = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-linejoin", "paint-order", "font-size", "font-weight", "font-family", "opacity"];

// target contains an SVG drawing, or an image of one.
export function takeAlong(target, name) {
  const bar = el("p", { class: "take" });
  for (const kind of ["SVG", "PNG"]) {
    bar.append(el("button", { type: "button", "aria-label": `Save ${name} as ${kind}`, onclick: () => saveDrawing(target, name, kind) }, kind));
  }
  target.after(bar);
}

async function saveDrawing(target, name, kind) {
  const image = target.querySelector("img");
  if (image) await loaded(image); // before, it has no size
  const { text, width, height } = image
    ? { text: decodeURIComponent(image.src.slice(image.src.indexOf(",") + 1)), width: image.naturalWidth, height: image.naturalHeight }
    : standalone(target.querySelector("svg"));
  const content = kind === "SVG" ? new Blob([text], { type: "image/svg+xml" }) : await painted(text, width, height);
  const address = URL.createObjectURL(content);
  el("a", { href: address, download: `${name.replaceAll(/[^\w]+/g, "-")}.${kind.toLowerCase()}` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

// A copy with its colours and background included.
function standalone(drawing) {
  const [, , width, height] = drawing.getAttribute("viewBox").split(" ").map(Number);
  const copy = drawing.cloneNode(true);
  const from = [drawing, ...drawing.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, index) => {
    const shown = getComputedStyle(from[index]);
    for (const property of STYLED) element.setAttribute(property, shown.getPropertyValue(property));
    element.removeAttribute("class");
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.prepend(svg("rect", { x: 0, y: 0, width, height, fill: getComputedStyle(document.querySelector(".panel")).backgroundColor }));
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

// Not decode(): that waits until the page is painted, and a page that nobody looks at may not be.
function loaded(image) {
  return image.complete ? null : new Promise((done, failed) => {
    image.addEventListener("load", done);
    image.addEventListener("error", failed);
  });
}

async function painted(text, width, height) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await loaded(image);
  const canvas = el("canvas", { width: 2 * width, height: 2 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
  // Not toBlob(): that waits until the page has nothing else to do, for seconds.
  const bytes = atob(canvas.toDataURL("image/png").split(",")[1]);
  return new Blob([Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))], { type: "image/png" });
}
