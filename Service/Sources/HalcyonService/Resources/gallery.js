"use strict";
const find = (id) => document.getElementById(id);
const figures = { count: 0, hits: 0, time: 0, saved: 0 };
const sizes = new Map();
let current = null;
let generation = 0;

const bytesText = (count) =>
  count < 1e3 ? count + " B" : count < 1e6 ? (count / 1e3).toFixed(1) + " kB" : (count / 1e6).toFixed(2) + " MB";

const encodeSource = (source) =>
  source.replaceAll("%", "%25").replaceAll("?", "%3F").replaceAll("@", "%40").replaceAll("#", "%23")
    .replaceAll(" ", "%20");

const path = (options, source, format) => `/_/${options}/plain/${encodeSource(source)}@${format}`;

/** Loads a path; resolves to the blob, its time and whether it was cached. */
async function load(path, source) {
  const start = performance.now();
  const response = await fetch(path, { cache: "no-store" });
  if (!response.ok) throw new Error(`${response.status}: ${(await response.text()).trim()}`);
  const blob = await response.blob();
  const time = performance.now() - start;
  const hit = (response.headers.get("Cache-Status") || "").includes("hit");
  figures.count += 1;
  figures.hits += hit ? 1 : 0;
  figures.time += time;
  if (sizes.has(source)) figures.saved += Math.max(0, sizes.get(source) - blob.size);
  find("count").textContent = figures.count;
  find("hits").textContent = figures.hits;
  find("time").textContent = (figures.time / figures.count).toFixed(1) + " ms";
  find("saved").textContent = bytesText(figures.saved);
  return { blob, time, hit };
}

function show(image, blob) {
  const url = URL.createObjectURL(blob);
  image.onload = () => { URL.revokeObjectURL(url); image.classList.add("loaded"); };
  image.onerror = () => URL.revokeObjectURL(url);
  image.src = url;
}

const observer = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    observer.unobserve(entry.target);
    const { image, detail, source } = entry.target.photo;
    load(path("rs:fill:320:240", source, "webp"), source).then(
      ({ blob, time, hit }) => {
        show(image, blob);
        detail.textContent = `${hit ? "cache" : "made"} ${time.toFixed(0)} ms`;
      },
      (error) => { detail.textContent = error.message; });
  }
}, { rootMargin: "200px" });

function addPhoto(photo) {
  sizes.set(photo.source, photo.bytes);
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.setAttribute("aria-pressed", "false");
  const image = document.createElement("img");
  image.alt = photo.name;
  image.width = 320;
  image.height = 240;
  if (photo.placeholder) image.style.backgroundImage = `url("${photo.placeholder}")`;
  const label = document.createElement("span");
  const detail = document.createElement("small");
  label.append(photo.name, detail);
  button.append(image, label);
  button.addEventListener("click", () => { find("source").value = photo.source; update(); });
  button.photo = { image, detail, source: photo.source };
  item.append(button);
  find("photos").append(item);
  observer.observe(button);
}

/** Sends a picture of the user to the service, and shows it as one of the photos. */
async function upload(file) {
  const caption = find("caption");
  caption.classList.remove("error");
  caption.textContent = "Uploading…";
  try {
    const response = await fetch("/gallery/uploads", {
      method: "POST", body: file, headers: { "Content-Type": "application/octet-stream" },
    });
    if (!response.ok) throw new Error(`${response.status}: ${(await response.text()).trim()}`);
    const photo = await response.json();
    if (!sizes.has(photo.source)) addPhoto(photo);
    find("source").value = photo.source;
    await update();
  } catch (error) {
    caption.classList.add("error");
    caption.textContent = error.message;
  }
}

function options() {
  const value = (id) => find(id).value;
  const parts = [`rs:${value("type")}:${value("width")}:${value("height")}`];
  if (value("gravity") !== "ce") parts.push(`g:${value("gravity")}`);
  if (Number(value("blur")) > 0) parts.push(`bl:${value("blur")}`);
  if (Number(value("sharpen")) > 0) parts.push(`sh:${value("sharpen")}`);
  if (Number(value("saturation")) !== 1) parts.push(`sa:${value("saturation")}`);
  parts.push(`q:${value("quality")}`);
  return parts.join("/");
}

async function update() {
  const source = find("source").value.trim();
  for (const button of document.querySelectorAll("#photos button"))
    button.setAttribute("aria-pressed", String(button.photo.source === source));
  for (const output of document.querySelectorAll("output"))
    output.textContent = output.parentElement.querySelector("input").value;
  if (!source) return;
  const own = ++generation;
  current = { source, options: options(), format: find("format").value };
  snippet("url");
  const caption = find("caption");
  try {
    const { blob, time, hit } = await load(path(current.options, source, current.format), source);
    if (own !== generation) return;
    show(find("result"), blob);
    find("result").alt = `${source} as ${current.format}`;
    caption.classList.remove("error");
    caption.textContent = `${bytesText(blob.size)}, ${time.toFixed(1)} ms, ${hit ? "from the cache" : "made now"}`;
  } catch (error) {
    if (own !== generation) return;
    caption.classList.add("error");
    caption.textContent = error.message;
    return;
  }
  await compare(own);
}

/** Fills the table of formats, one after the other. */
async function compare(own) {
  const { source, options } = current;
  const rows = [];
  for (const format of ["jpg", "webp", "avif", "jxl", "png"]) {
    let cells;
    try {
      const { blob, time, hit } = await load(path(options, source, format), source);
      cells = [format, bytesText(blob.size), time.toFixed(1) + " ms", hit ? "hit" : "made"];
    } catch (error) {
      cells = [format, "–", "–", "–"];
    }
    if (own !== generation) return;
    const row = document.createElement("tr");
    for (const text of cells) {
      const cell = document.createElement("td");
      cell.textContent = text;
      row.append(cell);
    }
    rows.push(row);
    find("formats").replaceChildren(...rows);
  }
}

function snippet(kind) {
  if (!current) return "";
  const url = (format) => location.origin + path(current.options, current.source, format);
  const texts = {
    url: path(current.options, current.source, current.format),
    curl: `curl -o image.${current.format} '${url(current.format)}'`,
    picture: `<picture>\n  <source srcset="${url("avif")}" type="image/avif">\n`
      + `  <source srcset="${url("webp")}" type="image/webp">\n  <img src="${url("jpg")}" alt="">\n</picture>`,
  };
  find("snippet").textContent = texts[kind];
  return texts[kind];
}

let delay;
find("upload").addEventListener("change", (event) => {
  if (event.target.files.length) upload(event.target.files[0]);
});
find("controls").addEventListener("input", (event) => {
  if (event.target.type !== "file") { clearTimeout(delay); delay = setTimeout(update, 150); }
});
find("controls").addEventListener("submit", (event) => { event.preventDefault(); update(); });
for (const button of document.querySelectorAll("[data-snippet]"))
  button.addEventListener("click", () => {
    const text = snippet(button.dataset.snippet);
    if (navigator.clipboard) navigator.clipboard.writeText(text).catch(() => {});
  });

fetch("/gallery.json").then((response) => response.json()).then((photos) => {
  photos.forEach(addPhoto);
  if (photos.length) find("source").value = photos[0].source;
  update();
});