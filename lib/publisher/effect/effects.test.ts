// Writes the classes into docs/releases.md: their names and what is held come from the code. What they mean is here, because the function
// that judges edits needs none of it.
import { describe, expect, it } from "vitest";
import { expectRows } from "../../../test/support/page-rows.ts";
import { EFFECT_NAMES, type EffectName, HELD_BY_DEFAULT, parseHold } from "./effects.ts";

/** The rows of the page: what would change. */
const DOCS: Readonly<Record<EffectName, string>> = {
  "entries-gone": "the source tree is empty, or lost more than half of its entries at once",
  "sidecar-gone": "pods that are injected now would not be, or would be denied",
  "container-gone": "a container that is injected now would not be",
  "volume-gone": "a volume that is injected now would not be",
  "privileges-widened":
    "pods or containers could do more on the node: the fields of the Pod Security Standards, the service account, and annotations and labels that another controller may obey",
  "author-changed":
    "what a pod's author wrote, or may have written, would be another or gone, or their containers would get a variable, mount or field beyond the [known ones](guardrails.md#what-an-injection-may-do)",
  "pod-may-not-run":
    "pods would be scheduled, started or ended otherwise: node selection, gates, deadlines, finalizers, images that are never pulled, and every other field of a pod that no template of Istio's needs",
  "identity-used":
    "a container would act as the pod's service account or role elsewhere, or use a Secret, token or claim that is not the injection's own, what is the proxy's own, or a CSI driver",
  "capture-changed":
    "other traffic would go through the proxy, ambient mode would take it, or a container would run as the proxy's user, whose traffic does not. Ports that are excluded by number do not count",
  "control-plane-address":
    "proxies would connect to another istiod or certificate authority, trust other roots, belong to another trust domain, run another program, or be given what [the proxy of the mesh](guardrails.md#the-proxy-of-the-mesh) does not need",
  "registry-misspelt":
    "images would come from a registry or repository that is a slip away from Istio's, or from the one that is served",
  unlisted:
    "anything that is not an [everyday change](#everyday-changes): for some pod, something would be written, no longer written, or written under another condition. Held where the setting `hold` is `everyday`",
  "image-registry": "images would come from another registry or repository",
  image: "another name, tag or digest of an image",
  command: "another command, or other arguments",
  "resources-doubled": "containers together would request, or be limited to, more than twice as much",
  added: "a container or volume more, or an injection where there was none",
  settings: "environment, ports, probes, mounts or another field",
  "shipped-templates": "the release would be made with the shipped templates of another version of Outrigger",
  metadata: "labels or annotations",
};

describe("EFFECT_NAMES", () => {
  it("are the classes of docs/releases.md", () => {
    const rows = EFFECT_NAMES.map((name) => [`\`${name}\``, DOCS[name], HELD_BY_DEFAULT.includes(name) ? "yes" : "no"]);
    expectRows({
      page: "docs/releases.md",
      name: "classes",
      headings: ["class", "what would change", "held by default"],
      rows,
    });
  });
});

describe("parseHold()", () => {
  it.each([
    [undefined, "powers"],
    ["", "powers"],
    ["off", "off"],
    ["everyday", "everyday"],
    ["Off", "everyday"],
    ["everday", "everyday"],
    ["constructor", "everyday"],
  ])("reads %j as %s: what is not known holds the most", (text, hold) => {
    expect(parseHold(text)).toBe(hold);
  });
});
