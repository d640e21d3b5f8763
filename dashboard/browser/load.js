// The part that travels with every message, so it is kept small: it finds plot.js and hands the data on.
const modules = {};
export default function (component) {
  const bytes = component.data;
  const length = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const url = new URL(head.module, document.baseURI).href;
  modules[url] ??= import(url);
  let release = null, overtaken = false;
  modules[url].then(
    (module) => { if (!overtaken) release = module.render(component, head, bytes.slice(4 + length).buffer); },
    (error) => {
      delete modules[url];
      const node = component.parentElement.querySelector(".pc-plot");
      if (node) node.textContent = "This figure could not be loaded from the server. Reload the page to try again.";
      console.error(error);
    },
  );
  return () => { overtaken = true; release?.(); };
}
