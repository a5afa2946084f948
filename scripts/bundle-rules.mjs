// What each function's bundle may weigh and must not hold. The figures' reasons: docs/adr/0003-bundle-format.md.

/** Function → rules. `forbidden` is matched against the paths of what went into the bundle. */
export const BUNDLE_RULES = {
  inject: {
    // 400 KB, of which 16 are kept for the Parameter Store client (docs/adr/0003-bundle-format.md).
    bytes: (400 - 16) * 1024,
    forbidden: [
      /node_modules\/handlebars\//,
      /^cli\//,
      /node_modules\/(commander|selfsigned)\//,
      /^test\//,
      /^scripts\//,
    ],
  },
};

/** What is wrong with a bundle: nothing, or a line for each rule that it breaks. */
export function checkBundle(name, { bytes, inputs }) {
  const { bytes: budget, forbidden } = BUNDLE_RULES[name];
  const intruders = inputs.filter((input) => forbidden.some((pattern) => pattern.test(input)));
  return [
    ...(bytes > budget ? [`functions/${name}: ${bytes} bytes are more than its budget of ${budget}`] : []),
    ...intruders.map((input) => `functions/${name}: ${input} does not belong in it`),
  ];
}
