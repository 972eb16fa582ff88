/// The style of the web page.
enum GalleryStyle {
  static let css = #"""
    :root {
      --back: #f6f5f2; --panel: #fff; --text: #1d2126; --faint: #626b75; --line: #dcd9d2; --accent: #0b6e75;
      font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back);
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --back: #14171a; --panel: #1e2327; --text: #e8eaec; --faint: #9aa4ae; --line: #333a41; --accent: #5cc4cc;
      }
    }
    * { box-sizing: border-box; }
    body { margin: 0; }
    header {
      display: flex; flex-wrap: wrap; gap: 1rem 2rem; align-items: center; justify-content: space-between;
      padding: 1rem clamp(1rem, 4vw, 3rem); background: var(--panel); border-bottom: 1px solid var(--line);
      position: sticky; top: 0; z-index: 1;
    }
    h1 { font-size: 1.3rem; margin: 0; letter-spacing: -0.01em; }
    h1 span { color: var(--faint); font-weight: 400; }
    h2 { font-size: 1.05rem; margin: 0 0 0.75rem; }
    dl { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; margin: 0; }
    dl div { min-width: 5rem; }
    dt { font-size: 0.75rem; color: var(--faint); }
    dd { margin: 0; font-variant-numeric: tabular-nums; font-weight: 600; }
    main { padding: 1.5rem clamp(1rem, 4vw, 3rem) 3rem; max-width: 1500px; margin: 0 auto; }
    section + section { margin-top: 2rem; }
    #photos {
      list-style: none; margin: 0; padding: 0; display: grid; gap: 0.75rem;
      grid-template-columns: repeat(auto-fill, minmax(150px, 1fr));
    }
    #photos button {
      width: 100%; padding: 0; border: 2px solid transparent; border-radius: 10px; overflow: hidden; cursor: pointer;
      background: var(--panel); color: inherit; font: inherit; text-align: left; display: block;
    }
    #photos button[aria-pressed="true"] { border-color: var(--accent); }
    #photos img {
      display: block; width: 100%; height: auto; aspect-ratio: 4 / 3; object-fit: cover;
      background: var(--line) center / cover; color: transparent;
    }
    #photos span {
      display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 0.5rem; padding: 0.35rem 0.6rem; font-size: 0.8rem;
    }
    #photos small { color: var(--faint); font-variant-numeric: tabular-nums; white-space: nowrap; }
    .columns { display: grid; gap: 1.5rem; grid-template-columns: minmax(230px, 300px) minmax(0, 1fr); }
    @media (max-width: 760px) { .columns { grid-template-columns: minmax(0, 1fr); } }
    form, .result { background: var(--panel); border: 1px solid var(--line); border-radius: 12px; padding: 1rem; }
    form { display: grid; gap: 0.6rem; align-content: start; }
    label { display: grid; grid-template-columns: 1fr auto; font-size: 0.85rem; color: var(--faint); }
    label input, label select { grid-column: 1 / -1; width: 100%; accent-color: var(--accent); }
    output { color: var(--text); font-variant-numeric: tabular-nums; }
    input[type="text"], select {
      padding: 0.4rem 0.5rem; border: 1px solid var(--line); border-radius: 8px; background: var(--back);
      color: var(--text); font: inherit;
    }
    figure { margin: 0 0 1rem; }
    figure img { display: block; max-width: 100%; height: auto; border-radius: 8px; background: var(--line); }
    figcaption { margin-top: 0.5rem; font-size: 0.9rem; color: var(--faint); min-height: 1.5em; }
    figcaption.error { color: #c0392b; }
    table { border-collapse: collapse; width: 100%; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
    caption { text-align: left; color: var(--faint); font-size: 0.8rem; }
    th, td { text-align: right; padding: 0.2rem 0.5rem; border-bottom: 1px solid var(--line); }
    th:first-child, td:first-child { text-align: left; }
    .snippets { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 1rem; }
    .snippets button {
      padding: 0.4rem 0.8rem; border: 1px solid var(--line); border-radius: 8px; background: var(--back);
      color: var(--text); font: inherit; font-size: 0.85rem; cursor: pointer;
    }
    pre {
      margin: 0.75rem 0 0; padding: 0.75rem; border-radius: 8px; background: var(--back); overflow-x: auto;
      font-size: 0.8rem; white-space: pre-wrap; word-break: break-all;
    }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    @media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
    """#
}
