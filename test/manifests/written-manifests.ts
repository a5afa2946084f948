// One Deployment, written in the ways in which people and programs write manifests.
const VALUE = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "app", image: "shop/web:1", args: ["-v", "a: b # c"] }] },
    },
  },
};

const BLOCK = `# The shop.
apiVersion:   apps/v1
kind: Deployment  # one of two
metadata:
  namespace: 'shop'
  name: "web"


spec:
  selector: {matchLabels: { app: web }}
  template:
    metadata:
      # Who owns it?
      labels:
        app: web # the label

    spec:
      # The application alone.
      containers:
      # First of them.
      - image: shop/web:1
        name: app
        args: [ -v , 'a: b # c' ]
      # Nothing follows.
# The end.
`;

/** Name → text. */
export const WRITTEN_MANIFESTS: Readonly<Record<string, string>> = {
  "block style with comments": BLOCK,
  "CRLF line breaks": BLOCK.replaceAll("\n", "\r\n"),
  "a byte order mark": `\ufeff${BLOCK}`,
  "spaces at the end of lines": BLOCK.replaceAll("\n", "  \n"),
  "no line break at the end": BLOCK.trimEnd(),
  "empty lines and comments at the end": `${BLOCK}\n\n  # a\n\n`,
  "indented lists": `apiVersion: apps/v1
kind: Deployment
metadata:
    name: web
    namespace: shop
spec:
    selector:
        matchLabels:
            app: web
    template:
        metadata:
            labels:
                app: web
        spec:
            containers:
                -   name: app
                    image: shop/web:1
                    args:
                        - -v
                        - >-
                            a: b
                            # c
`,
  "flow style": `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, # one line
  spec: {selector: {matchLabels: {app: web}},
    template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: "shop/web:1", args: [-v, 'a: b # c',]}]}}}}
`,
  "flow style within block style": `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  selector: { matchLabels: &match { app: web } }
  template:
    metadata: {
      labels: { app: web }   # closes below
    }
    spec: { containers: [
      { name: app, image: 'shop/web:1', args: [ "-v", "a: b # c" ] }
    ] }
`,
  "anchors, aliases and merges": `apiVersion: apps/v1
kind: Deployment
metadata: &meta
  name: &name web
  namespace: shop
spec:
  selector:
    matchLabels: {app: *name}
  template:
    metadata:
      labels:
        <<: {app: *name}
    spec:
      containers:
        - &app
          name: app
          image: shop/web:1
          args: [-v, &text "a: b # c"]
`,
  "an alias of labels": `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector:
    matchLabels: &labels
      app: web  # in both
  template:
    metadata:
      labels: *labels
    spec:
      containers:
      - {name: app, image: shop/web:1, args: [-v, "a: b # c"]}
`,
  "long and quoted text": `apiVersion: "apps\\x2fv1"
kind: 'Deployment'
metadata:
  name: web
  namespace: shop
  annotations:
    note: "a long text that continues over
      the end of its line, \\
      with an escaped break"
    script: |-
      #!/bin/sh
      # not a comment

        echo "${"x".repeat(300)}"
spec:
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - args:
        - "-v"
        - "a:\\u0020b # c"
        name: app
        image: shop/web:1
`,
  "explicit keys and tags": `? apiVersion
: apps/v1
? "kind"
: !!str Deployment
metadata: !!map
  name: web
  namespace: shop
spec:
  selector:
    matchLabels: {? app : web}
  template:
    metadata:
      labels:
        app: !!str web
    spec:
      containers:
      - name: app
        image: shop/web:1
        args: !!seq
        - -v
        - 'a: b # c'
`,
  "compact JSON": `${JSON.stringify(VALUE)}\n`,
  "JSON with spaces on one line": JSON.stringify(VALUE).replaceAll('":', '": ').replaceAll(',"', ', "'),
  "pretty JSON": `${JSON.stringify(VALUE, undefined, 2)}\n`,
  "pretty JSON with CRLF": `${JSON.stringify(VALUE, undefined, 4)}\n`.replaceAll("\n", "\r\n"),
  "JSON indented with tabs": `${JSON.stringify(VALUE, undefined, "\t")}\n`,
  "JSON with white space of its own": JSON.stringify(VALUE, undefined, 3)
    .replaceAll('":', '"  :')
    .replaceAll("shop/web", "shop\\/web"),
  "several documents": `# first\n---\nkind: ConfigMap\napiVersion: v1\nmetadata: {name:   a}  \ndata: {k: 'v'}\n--- # second\n${BLOCK}...\n---\n# nothing\n---\n${BLOCK}`,
  "concatenated JSON": `${JSON.stringify(VALUE)}\n ${JSON.stringify(VALUE, undefined, 2)}`,
  "a List": `kind: List\napiVersion: v1\nitems:\n- kind: Service # none\n  apiVersion: v1\n  metadata: {name: a}\n${BLOCK.replace(
    "# The shop.\n",
    "",
  )
    .trimEnd()
    .split("\n")
    .map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`))
    .join("\n")}\n`,
  "an HTTP probe": BLOCK.replace(
    "      # Nothing",
    "        readinessProbe:   # every second\n          periodSeconds:   1\n          httpGet: # the page\n            port: 80  # plain\n            path: '/ready'   # and the path\n      # Nothing",
  ),
  "a TCP probe": BLOCK.replace(
    "      # Nothing",
    "        readinessProbe:   # every second\n          periodSeconds:   1\n          tcpSocket:\n            port: 80\n      # Nothing",
  ),
  "no labels": BLOCK.replace(/ {4}metadata:\n {6}# Who[\s\S]*?the label\n/, ""),
  "an empty map of labels": BLOCK.replace(/ {6}labels:\n {8}app: web/, "      labels: {}"),
  "empty metadata": BLOCK.replace(/( {4}metadata:)\n {6}# Who[\s\S]*?the label\n/, "$1\n"),
};
