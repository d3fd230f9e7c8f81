// Opens the run that the address names (#run-CASE-ADAPTER): unpacks the section of its case into
// the dialog. Escape closes the dialog, and the browser gives the focus back to the opened cell.
"use strict";
{
  const dialog = document.getElementById("opened");
  const section = document.getElementById("section");
  let unpackedCase = "";
  let shownRun = "";

  const unpack = (packed) => {
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  };

  const select = (run) => {
    shownRun = run;
    for (const article of section.querySelectorAll("article"))
      article.hidden = article.dataset.run !== run;
    for (const link of section.querySelectorAll("nav a"))
      link.setAttribute("aria-current", link.hash === `#${run}`);
  };

  const runInAddress = () => /^#(run-(\d+)-\d+)$/.exec(location.hash);

  const show = async () => {
    const named = runInAddress();
    const id = named && `case-${named[2]}`;
    if (!id || !document.getElementById(id)) return dialog.close();
    const html = unpackedCase === id || (await unpack(document.getElementById(id).textContent));
    // Another one may have been opened meanwhile.
    if (location.hash !== named[0]) return;
    if (unpackedCase !== id) section.innerHTML = html;
    unpackedCase = id;
    select(named[1]);
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  };

  const leave = () => {
    const named = runInAddress();
    // The address may name another one already.
    if (!named || named[1] !== shownRun) return;
    history.replaceState(null, "", location.pathname + location.search);
    const focused = document.activeElement;
    if (focused !== document.body && !dialog.contains(focused)) return;
    // The page was opened at this run, so no cell had the focus before.
    const cell = document.querySelector(`.matrix a[href="${named[0]}"]`);
    if (!cell) return;
    const folded = cell.closest("details");
    if (folded) folded.open = true;
    cell.focus();
  };

  dialog.querySelector("button").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", leave);
  addEventListener("hashchange", show);
  show();
}
