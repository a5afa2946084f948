// How long a key takes until what it causes is on the screen; and the same of a page that does nothing else, which says what the
// browser and the machine take of that.
import type { Page } from "playwright-core";

/** A text in an element, which is on the screen from then on. */
export interface Shown {
  readonly selector: string;
  readonly text: string;
}

/** Milliseconds from the key's own time to the end of the frame that shows the text. */
export async function timeKey(page: Page, key: string, shown: Shown): Promise<number> {
  await page.evaluate(waitForKey(shown));
  await page.keyboard.press(key);
  return page.evaluate("drawn");
}

/** Returns a script for the page, in which `drawn` becomes the time of the next key. */
function waitForKey({ selector, text }: Shown): string {
  return `globalThis.drawn = new Promise((resolve) => {
    const isShown = () => document.querySelector(${JSON.stringify(selector)}).textContent.includes(${JSON.stringify(text)});
    addEventListener("keydown", ({ timeStamp }) => {
      const finish = () => setTimeout(() => resolve(performance.now() - timeStamp));
      const look = () => {
        if (isShown()) return finish();
        new MutationObserver((_changes, observer) => {
          if (!isShown()) return;
          observer.disconnect();
          requestAnimationFrame(finish);
        }).observe(document, { childList: true, characterData: true, subtree: true });
      };
      // In the frame of the key, after what the page itself does in it.
      const inFrame = () => requestAnimationFrame(look);
      addEventListener("input", () => void Promise.resolve().then(inFrame), { capture: true, once: true });
    }, { capture: true, once: true });
  }); undefined`;
}

/** The times of keys whose text is only repeated: at once, or as a worker's answer. */
export async function echoTimes(page: Page, keys: number, isWorker: boolean): Promise<readonly number[]> {
  await page.setContent(`<input><output></output><script>
    const show = (text) => { document.querySelector("output").textContent = text; };
    const worker = new Worker(URL.createObjectURL(new Blob(["onmessage = ({ data }) => postMessage(data)"])));
    worker.onmessage = ({ data }) => show(data);
    addEventListener("input", ({ target }) => ${isWorker ? "worker.postMessage(target.value)" : "show(target.value)"});
  </script>`);
  await page.locator("input").click();
  const times: number[] = [];
  for (let key = 1; key <= keys; key += 1) {
    await page.waitForTimeout((key * 37) % 50);
    times.push(await timeKey(page, "a", { selector: "output", text: "a".repeat(key) }));
  }
  return times;
}
