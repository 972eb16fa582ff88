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

// Below the path of this page, which the service may have a prefix for.
const path = (options, source, format) => `${location.pathname}_/${options}/plain/${encodeSource(source)}@${format}`;

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
    load(path("rs:fill:320:240/g:sm", source, "webp"), source).then(
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
  // Its name is the text of the button.
  image.alt = "";
  image.width = 320;
  image.height = 240;
  if (photo.placeholder) image.style.backgroundImage = `url("${photo.placeholder}")`;
  const label = document.createElement("span");
  const name = document.createElement("b");
  name.textContent = name.title = photo.name;
  const detail = document.createElement("small");
  detail.textContent = "\u00A0";
  label.append(name, detail);
  button.append(image, label);
  button.addEventListener("click", () => { find("source").value = photo.source; update(); });
  button.photo = { image, detail, source: photo.source };
  item.append(button);
  find("photos").append(item);
  observer.observe(button);
}

function say(text) {
  find("caption").classList.remove("error");
  find("caption").textContent = text;
}

/** Shows an error in place of the result, which is that of another source. */
function fail(error) {
  find("result").hidden = true;
  find("formats").replaceChildren();
  find("caption").classList.add("error");
  find("caption").textContent = error.message;
}

function options() {
  const value = (id) => find(id).value;
  const parts = [];
  if (Number(value("trim")) > 0) parts.push(`t:${value("trim")}`);
  if (value("rotation") !== "0") parts.push(`rot:${value("rotation")}`);
  if (value("mirror")) parts.push(`fl:${value("mirror")}`);
  if (value("crop") !== "100") parts.push(`c:${value("crop") / 100}:${value("crop") / 100}`);
  parts.push(`rs:${value("type")}:${value("width")}:${value("height")}`);
  if (value("gravity") !== "ce") parts.push(`g:${value("gravity")}`);
  if (value("padding") !== "0") parts.push(`pd:${value("padding")}`, `bg:${value("background").slice(1)}`);
  if (Number(value("blur")) > 0) parts.push(`bl:${value("blur")}`);
  if (Number(value("sharpen")) > 0) parts.push(`sh:${value("sharpen")}`);
  if (Number(value("saturation")) !== 1) parts.push(`sa:${value("saturation")}`);
  if (Number(value("contrast")) !== 1) parts.push(`co:${value("contrast")}`);
  if (Number(value("watermark")) > 0) parts.push(`wm:${value("watermark")}:${value("place")}:10:10:0.25`);
  parts.push(`q:${value("quality")}`);
  return parts.join("/");
}

async function update() {
  const source = find("source").value.trim();
  for (const button of document.querySelectorAll("#photos button"))
    button.setAttribute("aria-pressed", String(button.photo.source === source));
  for (const output of document.querySelectorAll("output")) {
    const input = output.parentElement.querySelector("input");
    output.textContent = input.value + (input.dataset.unit || "");
  }
  if (!source) return;
  const own = ++generation;
  current = { source, options: options(), format: find("format").value };
  snippet("url");
  // Only if it takes long enough to be noticed.
  const waiting = setTimeout(() => find("stage").classList.add("waiting"), 200);
  try {
    const { blob, time, hit } = await load(path(current.options, source, current.format), source);
    if (own !== generation) return;
    show(find("result"), blob);
    find("result").alt = `${source} as ${current.format}`;
    find("result").hidden = false;
    say(`${bytesText(blob.size)}, ${time.toFixed(1)} ms, ${hit ? "from the cache" : "made now"}`);
  } catch (error) {
    if (own === generation) fail(error);
    return;
  } finally {
    clearTimeout(waiting);
    if (own === generation) find("stage").classList.remove("waiting");
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

/** Copies a text, and says so on the button and to screen readers. */
async function copy(button) {
  const text = snippet(button.dataset.snippet);
  let message = "Copied.";
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    // Without permission, or on a page without TLS.
    getSelection().selectAllChildren(find("snippet"));
    message = "Selected: copy it with your keyboard or its menu.";
  }
  find("copied").textContent = message;
  clearTimeout(copy.timer);
  copy.timer = setTimeout(() => { find("copied").textContent = ""; }, 4000);
}

let delay;
const updateSoon = () => { clearTimeout(delay); delay = setTimeout(update, 150); };
find("controls").addEventListener("input", updateSoon);
find("source").addEventListener("input", updateSoon);
find("controls").addEventListener("submit", (event) => { event.preventDefault(); update(); });
find("controls").addEventListener("reset", () => {
  const source = find("source").value;
  setTimeout(() => { find("source").value = source; update(); });
});
for (const button of document.querySelectorAll("[data-snippet]")) button.addEventListener("click", () => copy(button));
find("watermarks").hidden = !find("watermarks").dataset.watermark;

fetch("gallery.json").then((response) => response.json()).then((photos) => {
  photos.forEach(addPhoto);
  if (photos.length) find("source").value = photos[0].source;
  else say("Enter a source.");
  update();
});
