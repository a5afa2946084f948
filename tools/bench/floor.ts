// The JSON floor: what a request costs that parses what comes and stringifies what goes, and does nothing in between.
// No injector that speaks this protocol in JavaScript can be faster.

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value: unknown;
}

/** Parse the event, parse the review in it, stringify a patch, base64 it, stringify the review and the proxy result. */
export function floorRequest(eventText: string, patch: readonly Operation[]): string {
  const { apiVersion, kind, request } = JSON.parse(JSON.parse(eventText).body);
  const encoded = Buffer.from(JSON.stringify(patch)).toString("base64");
  const response = { uid: request.uid, allowed: true, patchType: "JSONPatch", patch: encoded };
  const body = JSON.stringify({ apiVersion, kind, response });
  return JSON.stringify({
    statusCode: 200,
    headers: { "content-type": "application/json" },
    body,
    isBase64Encoded: false,
  });
}

/** A patch that is `bytes` long as JSON text and looks like an injection: added containers, and one label to fill up. */
export function floorPatch(bytes: number): readonly Operation[] {
  const patch: Operation[] = [];
  let length = 2;
  for (let index = 0; length + OPERATION_BYTES < bytes; index += 1) {
    const operation = { op: "add", path: `/spec/initContainers/${index}`, value: containerLike(index) };
    patch.push(operation);
    length += JSON.stringify(operation).length + (index === 0 ? 0 : 1);
  }
  const filler = { op: "add", path: "/metadata/labels/x", value: "" };
  const missing = bytes - JSON.stringify([...patch, filler]).length;
  return [...patch, { ...filler, value: "x".repeat(Math.max(0, missing)) }];
}

/** Space for one more operation and the filler. */
const OPERATION_BYTES = 260;

function containerLike(index: number) {
  return {
    name: `c${index}`,
    env: [
      { name: "A", value: "b" },
      { name: "C", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    ],
    ports: [{ containerPort: 15090, protocol: "TCP" }],
  };
}
