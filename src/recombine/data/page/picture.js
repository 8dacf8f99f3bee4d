"use strict";
// A figure as PNG, with its title and source, drawn from the SVG that the page offers.
const PICTURE_SCALE = 3;
async function picture(address) {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = PICTURE_SCALE * image.naturalWidth;
  canvas.height = PICTURE_SCALE * image.naturalHeight;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png");
}
for (const place of document.querySelectorAll(".downloads")) {
  const svg = place.querySelector("a[href^='data:image/svg']");
  if (!svg) continue;
  const link = document.createElement("a");
  link.textContent = "PNG";
  link.download = svg.download.replace(/svg$/, "png");
  link.href = "#";
  link.addEventListener("click", async (event) => {
    if (link.href.startsWith("data:")) return;
    event.preventDefault();
    link.href = await picture(svg.href);
    link.click();
  });
  svg.after(", ", link);
}
