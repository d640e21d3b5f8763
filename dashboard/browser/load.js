// The part that travels with every message, so it is kept small: it unpacks the data, finds plot.js and hands it on.
const modules = {};
async function opened(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const url = new URL(head.module, document.baseURI).href;
  modules[url] ??= import(url);
  try {
    return { module: await modules[url], head, arrays: buffer.slice(4 + length) };
  } catch (error) {
    delete modules[url];
    throw error;
  }
}
export default function (component) {
  let release = null, overtaken = false;
  opened(component.data).then(
    ({ module, head, arrays }) => { if (!overtaken) release = module.render(component, head, arrays); },
    (error) => {
      const node = component.parentElement.querySelector(".pc-plot");
      if (node) node.textContent = "This figure could not be loaded from the server. Reload the page to try again.";
      console.error(error);
    },
  );
  return () => { overtaken = true; release?.(); };
}
