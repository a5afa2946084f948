// What a newcomer can try with one click, on a tree without entries of one's own.

import { chosenView, edit, manifest, openPath, pod } from "./state.ts";

const VALUES = "values/50-image";

/** Another tag of the proxy's image: the smallest edit with an effect that can be seen. */
export function tryImage(): void {
  edit(VALUES, "# Lies over the shipped values.\nglobal:\n  tag: 1.31.0-debug\n");
  openPath.value = VALUES;
  chosenView.value = undefined;
}

/** A pod that opts out, to see what the page says of it. */
export function tryOptedOut(): void {
  manifest.value = OPTED_OUT;
  pod.value = { kind: "manifest", text: OPTED_OUT, index: 0 };
  chosenView.value = undefined;
}

/** The example that tryContainer() of the page starts from. */
export const FIRST_EXAMPLE = "log-shipper";

const OPTED_OUT = `apiVersion: v1
kind: Pod
metadata:
  name: batch
  labels:
    sidecar.istio.io/inject: "false"
spec:
  containers:
  - name: batch
    image: registry.example/batch:1
`;
