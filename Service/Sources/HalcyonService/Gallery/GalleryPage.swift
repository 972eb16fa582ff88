/// The web page of the service: its photos, and controls for the options.
enum GalleryPage {
  /// Scripts and styles come from this service only.
  static let contentSecurityPolicy = """
    default-src 'none'; img-src 'self' blob: data:; style-src 'self'; script-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'
    """

  static let html = #"""
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Halcyon image service</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/gallery.css">
    <script src="/gallery.js" defer></script>
    </head>
    <body>
    <header>
      <h1>Halcyon <span>image service</span></h1>
      <dl id="figures" aria-label="Images of this page">
        <div><dt>images</dt><dd id="count">0</dd></div>
        <div><dt>from the cache</dt><dd id="hits">0</dd></div>
        <div><dt>mean time</dt><dd id="time">–</dd></div>
        <div><dt>bytes saved</dt><dd id="saved">–</dd></div>
      </dl>
    </header>
    <main>
      <section aria-labelledby="photos-title">
        <h2 id="photos-title">Photos</h2>
        <ul id="photos"></ul>
      </section>
      <section id="studio" aria-labelledby="studio-title">
        <h2 id="studio-title">Options</h2>
        <div class="columns">
          <form id="controls" autocomplete="off">
            <label>Source <input id="source" type="text" spellcheck="false" placeholder="https://… or local:///…"></label>
            <label>Your picture <input id="upload" type="file" accept="image/*"></label>
            <label>Width <output></output><input id="width" type="range" min="40" max="1200" step="20" value="480"></label>
            <label>Height <output></output><input id="height" type="range" min="0" max="1200" step="20" value="320"></label>
            <label>Resizing
              <select id="type">
                <option>fit</option><option selected>fill</option><option>fill-down</option><option>force</option>
                <option>auto</option>
              </select>
            </label>
            <label>Gravity
              <select id="gravity">
                <option value="ce" selected>centre</option><option value="no">north</option>
                <option value="so">south</option><option value="ea">east</option><option value="we">west</option>
              </select>
            </label>
            <label>Quality <output></output><input id="quality" type="range" min="1" max="100" value="80"></label>
            <label>Blur <output></output><input id="blur" type="range" min="0" max="20" step="0.5" value="0"></label>
            <label>Sharpness <output></output><input id="sharpen" type="range" min="0" max="3" step="0.1" value="0"></label>
            <label>Saturation <output></output><input id="saturation" type="range" min="0" max="2" step="0.1" value="1"></label>
            <label>Format
              <select id="format">
                <option>jpg</option><option selected>webp</option><option>avif</option><option>jxl</option>
                <option>png</option>
              </select>
            </label>
          </form>
          <div class="result">
            <figure><img id="result" alt=""><figcaption id="caption" role="status" aria-live="polite"></figcaption></figure>
            <table>
              <caption>The same image in each format</caption>
              <thead><tr><th scope="col">format</th><th scope="col">bytes</th><th scope="col">time</th><th scope="col">cache</th></tr></thead>
              <tbody id="formats"></tbody>
            </table>
            <div class="snippets">
              <button type="button" data-snippet="url">Copy path</button>
              <button type="button" data-snippet="curl">Copy curl</button>
              <button type="button" data-snippet="picture">Copy picture element</button>
            </div>
            <pre id="snippet" tabindex="0"></pre>
          </div>
        </div>
      </section>
    </main>
    </body>
    </html>
    """#
}
