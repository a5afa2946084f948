import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { violationsInContainer, violationsInSpec } from "../../../../test/support/violations-in.ts";

const LABEL = 'must be a DNS label: at most 63 lowercase letters, digits and "-", with a letter or digit at both ends';
const SUBDOMAIN =
  'must be a DNS name: at most 253 lowercase letters, digits, "-" and ".", with a letter or digit at both ends of each part';
const PORT_NAME =
  'must be at most 15 lowercase letters, digits and single "-", with at least one letter and no "-" at either end';
const ENV_NAME = 'must be printable ASCII characters other than "="';
const CONFIG_KEY = 'must be at most 253 letters, digits, "-", "_" and ".", and must not be "." or start with ".."';
const PORT = "must be between 1 and 65535";
const BACKSTEPS = 'must not contain ".." as a part of the path';

type Row = readonly [part: JsonObject, expected: readonly string[]];

describe("a container", () => {
  it.each<Row>([
    [{ name: null }, ["name required: is required"]],
    [{ name: "" }, ["name required: is required"]],
    [{ name: "a.b" }, [`name invalid: ${LABEL}`]],
    [{ image: "" }, ["image required: is required"]],
    [{ image: " a" }, ["image invalid: must not start or end with a blank"]],
    [{ image: "a\n" }, ["image invalid: must not start or end with a blank"]],
    [{ terminationMessagePolicy: "File", imagePullPolicy: "" }, []],
    [{ terminationMessagePolicy: "FallbackToLogsOnError" }, []],
    [
      { terminationMessagePolicy: "x" },
      ["terminationMessagePolicy not-supported: must be one of File, FallbackToLogsOnError"],
    ],
    [{ imagePullPolicy: "x" }, ["imagePullPolicy not-supported: must be one of Always, IfNotPresent, Never"]],
  ])("with %j is refused for %j", (part, expected) => {
    expect(violationsInContainer(part)).toEqual(expected);
  });

  it("has a name that no other container and no init container has", () => {
    const named = (name: string) => ({ name, image: "i" });
    expect(
      violationsInSpec({ containers: [named("a"), named("a"), named("b")], initContainers: [named("b"), named("c")] }),
    ).toEqual([
      'containers[1].name duplicate: must be unique: another container of the pod is named "a"',
      'initContainers[0].name duplicate: must be unique: another container of the pod is named "b"',
    ]);
    const many = Array.from({ length: 17 }, (_, at) => named(`c${at}`));
    expect(violationsInSpec({ containers: [...many, named("c3")], initContainers: [named("c4")] })).toEqual([
      'containers[17].name duplicate: must be unique: another container of the pod is named "c3"',
      'initContainers[0].name duplicate: must be unique: another container of the pod is named "c4"',
    ]);
  });

  it("has no devices where the pod has users of its own", () => {
    const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "a" } }];
    const part = { volumeDevices: [{ name: "v", devicePath: "/d" }] };
    expect(violationsInContainer(part, { volumes })).toEqual([]);
    expect(violationsInContainer(part, { volumes, hostUsers: false })).toEqual([
      "volumeDevices forbidden: must not be set when spec.hostUsers is false",
    ]);
  });
});

describe("the ports of a container", () => {
  const port = (part: object, spec: JsonObject = {}) =>
    violationsInContainer({ ports: [{ containerPort: 80, ...part }] }, spec).map((text) =>
      text.replace("ports[0].", ""),
    );
  it.each<Row>([
    [{ name: "a-1", containerPort: 1, hostPort: 65535, protocol: "SCTP" }, []],
    [{ name: "", protocol: "", hostPort: 0 }, []],
    [{ protocol: "TCP" }, []],
    [{ protocol: "UDP" }, []],
    [{ protocol: "tcp" }, ["protocol not-supported: must be one of TCP, UDP, SCTP"]],
    [{ name: "A" }, [`name invalid: ${PORT_NAME}`]],
    [{ containerPort: 0 }, ["containerPort required: is required"]],
    [{ containerPort: -1 }, [`containerPort invalid: ${PORT}`]],
    [{ containerPort: 65536 }, [`containerPort invalid: ${PORT}`]],
    [{ hostPort: 65536 }, [`hostPort invalid: ${PORT}`]],
  ])("with %j are refused for %j", (part, expected) => {
    expect(port(part)).toEqual(expected);
  });

  it("are those of the node in its network", () => {
    expect(port({ hostPort: 81 }, { hostNetwork: true })).toEqual([
      "hostPort invalid: must be the containerPort when hostNetwork is true",
    ]);
    expect(port({ hostPort: 80 }, { hostNetwork: true })).toEqual([]);
  });

  it("have different names, those that are wrong apart", () => {
    const ports = ["a", "b", "a", "A", "A", "", ""].map((name) => ({ name, containerPort: 80 }));
    expect(violationsInContainer({ ports })).toEqual([
      `ports[3].name invalid: ${PORT_NAME}`,
      `ports[4].name invalid: ${PORT_NAME}`,
      'ports[2].name duplicate: must be unique: another port is named "a"',
    ]);
  });

  it.each<[object, object, string | undefined]>([
    [{ hostPort: 9 }, { hostPort: 9 }, "9/TCP"],
    [{ hostPort: 9 }, { hostPort: 9, protocol: "TCP" }, "9/TCP"],
    [{ hostPort: 9, protocol: "UDP" }, { hostPort: 9, protocol: "UDP" }, "9/UDP"],
    [{ hostPort: 9, hostIP: "::1" }, { hostPort: 9, hostIP: "::1" }, '9/TCP at "::1"'],
    [{ hostPort: 9 }, { hostPort: 9, protocol: "UDP" }, undefined],
    [{ hostPort: 9 }, { hostPort: 9, hostIP: "::1" }, undefined],
    [{ hostPort: 9 }, { hostPort: 8 }, undefined],
    [{}, {}, undefined],
  ])("take different ports of the node: %j and %j", (one, other, taken) => {
    const container = (name: string, part: object) => ({ name, image: "i", ports: [{ containerPort: 80, ...part }] });
    const expected =
      taken === undefined
        ? []
        : [`containers[1].ports[0].hostPort duplicate: is taken: another container port has ${taken} of the node`];
    expect(violationsInSpec({ containers: [container("a", one), container("b", other)] })).toEqual(expected);
    expect(violationsInSpec({ initContainers: [container("a", one), container("b", other)] })).toEqual([]);
  });

  it("of one init container take different ports of the node", () => {
    const initContainers = [
      { name: "a", image: "i" },
      {
        name: "b",
        image: "i",
        ports: [
          { containerPort: 1, hostPort: 9 },
          { containerPort: 2, hostPort: 9 },
        ],
      },
    ];
    expect(violationsInSpec({ initContainers })).toEqual([
      "initContainers[1].ports[1].hostPort duplicate: is taken: another container port has 9/TCP of the node",
    ]);
  });

  it("are all taken of the node in its network", () => {
    const container = (name: string) => ({ name, image: "i", ports: [{ containerPort: 80 }] });
    const containers = [container("a"), container("b")];
    expect(violationsInSpec({ containers })).toEqual([]);
    expect(violationsInSpec({ containers, hostNetwork: true })).toEqual([
      "containers[1].ports[0].hostPort duplicate: is taken: another container port has 80/TCP of the node",
    ]);
  });
});

describe("a variable of a container", () => {
  const variable = (part: object, spec: JsonObject = {}) =>
    violationsInContainer({ env: [{ name: "A", ...part }] }, spec).map((text) => text.replace("env[0].", ""));
  const SOURCES =
    "valueFrom invalid: must have one of fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef";
  const fieldRef = { fieldPath: "metadata.name" };

  it.each<Row>([
    [{ name: "a b.c" }, []],
    [{ name: "" }, ["name required: is required"]],
    [{ name: "a=b" }, [`name invalid: ${ENV_NAME}`]],
    [{ value: "v", valueFrom: null }, []],
    [{ valueFrom: { fieldRef }, value: "" }, []],
    [{ valueFrom: {} }, [SOURCES]],
    [{ valueFrom: { other: {} } }, [SOURCES]],
    [{ value: "v", valueFrom: { fieldRef } }, ["valueFrom invalid: must not be set when value is: remove one of them"]],
    [
      { valueFrom: { fieldRef, secretKeyRef: { name: "a", key: "b" } } },
      ["valueFrom invalid: must have one source only"],
    ],
    [
      { valueFrom: { fieldRef: { fieldPath: "metadata.labels" } } },
      [
        expect.stringMatching(
          /^valueFrom\.fieldRef\.fieldPath not-supported: must be one of metadata.name, metadata.namespace, metadata.uid, spec.nodeName, spec.serviceAccountName, status.hostIP, status.hostIPs, status.podIP, status.podIPs, metadata/,
        ),
      ],
    ],
    [{ valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } }, []],
    [{ valueFrom: { resourceFieldRef: {} } }, ["valueFrom.resourceFieldRef.resource required: is required"]],
    ...["configMapKeyRef", "secretKeyRef"].flatMap((key): readonly Row[] => [
      [{ valueFrom: { [key]: { name: "a.b", key: "c_d" } } }, []],
      [
        { valueFrom: { [key]: {} } },
        [`valueFrom.${key}.name invalid: is required`, `valueFrom.${key}.key required: is required`],
      ],
      [
        { valueFrom: { [key]: { name: "A", key: ".." } } },
        [`valueFrom.${key}.name invalid: ${SUBDOMAIN}`, `valueFrom.${key}.key invalid: ${CONFIG_KEY}`],
      ],
    ]),
    ...[
      "metadata.namespace",
      "metadata.uid",
      "spec.nodeName",
      "spec.host",
      "spec.serviceAccountName",
      "status.hostIP",
      "status.hostIPs",
      "status.podIP",
      "status.podIPs",
      "metadata.labels['a']",
      "metadata.annotations['a']",
    ].map((fieldPath): Row => [{ valueFrom: { fieldRef: { fieldPath } } }, []]),
  ])("%j is refused for %j", (part, expected) => {
    expect(variable(part)).toEqual(expected);
  });

  const file = (part: object, volumes: readonly JsonObject[] = [{ name: "v", emptyDir: {} }]) =>
    variable({ valueFrom: { fileKeyRef: { volumeName: "v", path: "p", key: "k", ...part } } }, { volumes }).map(
      (text) => text.replace("valueFrom.fileKeyRef.", ""),
    );
  it.each<[object, readonly JsonObject[] | undefined, readonly string[]]>([
    [{}, undefined, []],
    [{}, [{ name: "v" }], []],
    [{}, [{ name: "v", emptyDir: null }], []],
    [{ key: "" }, undefined, ["key required: is required"]],
    [{ key: "a=b" }, undefined, [`key invalid: ${ENV_NAME}`]],
    [{ path: "" }, undefined, ["path required: is required"]],
    [{ path: "a/.." }, undefined, [`path invalid: ${BACKSTEPS}`]],
    [{ volumeName: "" }, undefined, ["volumeName required: is required"]],
    [
      { volumeName: "a.b" },
      undefined,
      [`volumeName invalid: ${LABEL}`, 'volumeName not-found: must name a volume, not "a.b"'],
    ],
    [{}, [{ name: "w" }], ['volumeName not-found: must name a volume, not "v"']],
    [{}, [{ name: "v", secret: { secretName: "a" } }], ["volumeName invalid: must name a volume of type emptyDir"]],
  ])("from the file %j of the volumes %j is refused for %j", (part, volumes, expected) => {
    expect(file(part, volumes)).toEqual(expected);
  });

  it.each<Row>([
    [{ configMapRef: { name: "a.b" }, prefix: "P_" }, []],
    [{ secretRef: { name: "a-" }, prefix: "" }, []],
    [{ configMapRef: { name: "A" } }, [`envFrom[0].configMapRef.name invalid: ${SUBDOMAIN}`]],
    [{ secretRef: {} }, ["envFrom[0].secretRef.name required: is required"]],
    [{}, ["envFrom[0] invalid: must have a configMapRef or a secretRef"]],
    [
      { configMapRef: { name: "a" }, secretRef: { name: "b" } },
      ["envFrom[0] invalid: must not have both a configMapRef and a secretRef"],
    ],
    [{ secretRef: { name: "a" }, prefix: "=" }, [`envFrom[0].prefix invalid: ${ENV_NAME}`]],
  ])("of the list %j is refused for %j", (source, expected) => {
    expect(violationsInContainer({ envFrom: [source] })).toEqual(expected);
  });
});

describe("what a container mounts", () => {
  const volumes = [
    { name: "v", emptyDir: {} },
    { name: "w", persistentVolumeClaim: { claimName: "a" } },
  ];
  const mount = (part: object, container: JsonObject = {}) =>
    violationsInContainer({ volumeMounts: [{ name: "v", mountPath: "/m", ...part }], ...container }, { volumes }).map(
      (text) => text.replace("volumeMounts[0].", ""),
    );
  const RELATIVE = 'must be a relative path without ".." as a part';
  it.each<Row>([
    [{}, []],
    [{ name: "" }, ["name required: is required"]],
    [{ mountPath: "" }, ["mountPath required: is required"]],
    [{ name: "x" }, ['name not-found: must name a volume of the pod, not "x"']],
    [{ subPath: "a/b" }, []],
    [{ subPath: "", subPathExpr: "a" }, []],
    [{ subPath: "/a" }, [`subPath invalid: ${RELATIVE}`]],
    [{ subPathExpr: "a/.." }, [`subPathExpr invalid: ${RELATIVE}`]],
    [{ subPath: "a", subPathExpr: "b" }, ["subPathExpr invalid: must not be set when subPath is: remove one of them"]],
    [
      { mountPropagation: "x" },
      ["mountPropagation not-supported: must be one of Bidirectional, HostToContainer, None"],
    ],
    [{ mountPropagation: "HostToContainer" }, []],
    [
      { mountPropagation: "Bidirectional" },
      ["mountPropagation forbidden: must not be Bidirectional in a container that is not privileged"],
    ],
    [{ recursiveReadOnly: "Disabled" }, []],
    [{ recursiveReadOnly: "Enabled", readOnly: true }, []],
    [{ recursiveReadOnly: "IfPossible", readOnly: true, mountPropagation: "None" }, []],
    [{ recursiveReadOnly: "x" }, ["recursiveReadOnly not-supported: must be one of Disabled, IfPossible, Enabled"]],
    [{ recursiveReadOnly: "Enabled" }, ["recursiveReadOnly forbidden: needs readOnly: true"]],
    [
      { recursiveReadOnly: "IfPossible", mountPropagation: "HostToContainer" },
      [
        "recursiveReadOnly forbidden: needs readOnly: true",
        "recursiveReadOnly forbidden: needs mountPropagation to be None or absent",
      ],
    ],
  ])("as %j is refused for %j", (part, expected) => {
    expect(mount(part)).toEqual(expected);
  });

  it("may be mounted in both directions where it is privileged", () => {
    expect(mount({ mountPropagation: "Bidirectional" }, { securityContext: { privileged: true } })).toEqual([]);
  });

  it("has one mount at a path", () => {
    const volumeMounts = ["/a", "/b", "/a"].map((mountPath) => ({ name: "v", mountPath }));
    expect(violationsInContainer({ volumeMounts }, { volumes })).toEqual([
      'volumeMounts[2].mountPath duplicate: "/a" is mounted already',
    ]);
  });

  it("is found among many volumes", () => {
    const many = Array.from({ length: 40 }, (_, at) => ({ name: `v${at}`, emptyDir: {} }));
    const volumeMounts = ["v0", "v39", "v40"].map((name) => ({ name, mountPath: `/${name}` }));
    expect(violationsInContainer({ volumeMounts }, { volumes: many })).toEqual([
      'volumeMounts[2].name not-found: must name a volume of the pod, not "v40"',
    ]);
  });

  const devices = (...list: readonly object[]) =>
    violationsInContainer({ volumeDevices: list as never }, { volumes }).map((text) =>
      text.replace("volumeDevices", ""),
    );
  it.each<[readonly object[], readonly string[]]>([
    [[{ name: "w", devicePath: "/d" }], []],
    [[{ devicePath: "/d" }], ["[0].name required: is required"]],
    [[{ name: "w" }], ["[0].devicePath required: is required"]],
    [[{ name: "w", devicePath: "/d/.." }], [`[0].devicePath invalid: ${BACKSTEPS}`]],
    [[{ name: "x", devicePath: "/d" }], ['[0].name not-found: must name a volume of the pod, not "x"']],
    [
      [{ name: "v", devicePath: "/d" }],
      ["[0].name invalid: must name a volume of type persistentVolumeClaim or ephemeral"],
    ],
    [
      [
        { name: "w", devicePath: "/d" },
        { name: "w", devicePath: "/d" },
      ],
      ['[1].devicePath duplicate: "/d" is a device already', '[1].name duplicate: "w" is a device already'],
    ],
  ])("as the devices %j is refused for %j", (list, expected) => {
    expect(devices(...list)).toEqual(expected);
  });

  it("is a mount or a device, and not both", () => {
    const part = {
      volumeMounts: [
        { name: "v", mountPath: "/a" },
        { name: "w", mountPath: "/b" },
        { name: "v", mountPath: "/d" },
      ],
      volumeDevices: [{ name: "w", devicePath: "/d" }],
    };
    expect(violationsInContainer(part, { volumes })).toEqual([
      'volumeMounts[1].name invalid: "w" is in volumeDevices too',
      'volumeMounts[2].mountPath invalid: "/d" is in volumeDevices too',
    ]);
  });
});

describe("the probes and handlers of a container", () => {
  const NEEDED = "must be letters, digits and";
  const probe = (part: object, kind = "livenessProbe") =>
    violationsInContainer({ [kind]: part as never }).map((text) => text.replace(new RegExp(`^${kind}\\.?`), "").trim());
  const tcpSocket = { port: 80 };

  describe.each(["livenessProbe", "readinessProbe", "startupProbe"])("in %s", (kind) => {
    it.each<Row>([
      [{ tcpSocket }, []],
      [{ exec: { command: ["a"] } }, []],
      [{ httpGet: { port: "http", scheme: "HTTPS", httpHeaders: [{ name: "X-a", value: "" }] } }, []],
      [{ httpGet: { port: 65535, scheme: "HTTP" } }, []],
      [{ grpc: { port: 1 } }, []],
      [{}, ["required: must have a handler: one of exec, httpGet, tcpSocket, grpc"]],
      [
        { exec: { command: ["a"] }, httpGet: { port: 1 }, tcpSocket, grpc: { port: 1 } },
        ["httpGet", "tcpSocket", "grpc"].map(
          (key) => `${key} forbidden: must not be set, as exec is: a handler is of one type`,
        ),
      ],
      [{ exec: {} }, ["exec.command required: is required"]],
      [{ tcpSocket: {} }, [`tcpSocket.port invalid: is required: ${PORT}, or the name of a port`]],
      [{ tcpSocket: { port: 0 } }, [`tcpSocket.port invalid: ${PORT}`]],
      [{ tcpSocket: { port: "A" } }, [`tcpSocket.port invalid: as a name, ${PORT_NAME}`]],
      [
        { httpGet: { port: 65536, scheme: "http" } },
        [`httpGet.port invalid: ${PORT}`, "httpGet.scheme not-supported: must be one of HTTP, HTTPS"],
      ],
      [
        { httpGet: { port: 1, httpHeaders: [{ name: "a" }, { name: "a b" }] } },
        [expect.stringContaining(`httpGet.httpHeaders[1].name invalid: ${NEEDED}`)],
      ],
      [{ grpc: {} }, [`grpc.port invalid: is required: ${PORT}`]],
      [{ grpc: { port: 65536 } }, [`grpc.port invalid: ${PORT}`]],
      ...["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "failureThreshold"].flatMap(
        (key): readonly Row[] => [
          [{ tcpSocket, [key]: 0 }, []],
          [{ tcpSocket, [key]: -1 }, [`${key} invalid: must be 0 or more`]],
        ],
      ),
    ])("%j is refused for %j", (part, expected) => {
      expect(probe(part, kind)).toEqual(expected);
    });
  });

  it("succeed once where a success ends the probe", () => {
    for (const kind of ["livenessProbe", "startupProbe"]) {
      expect([0, 1].flatMap((successThreshold) => probe({ tcpSocket, successThreshold }, kind))).toEqual([]);
      expect(probe({ tcpSocket, successThreshold: 2 }, kind)).toEqual(["successThreshold invalid: must be 1"]);
      expect(probe({ tcpSocket, successThreshold: -1 }, kind)).toEqual([
        "successThreshold invalid: must be 0 or more",
        "successThreshold invalid: must be 1",
      ]);
    }
    expect(probe({ tcpSocket, successThreshold: 2 }, "readinessProbe")).toEqual([]);
  });

  it("leave time to end where they end a container", () => {
    const field = "terminationGracePeriodSeconds";
    expect(probe({ tcpSocket, [field]: 1 })).toEqual([]);
    expect(probe({ tcpSocket, [field]: 0 })).toEqual([`${field} invalid: must be more than 0`]);
    expect(probe({ tcpSocket, [field]: 1 }, "readinessProbe")).toEqual([
      `${field} invalid: must not be set for readiness probes`,
    ]);
  });

  it.each<[object, JsonObject, readonly string[]]>([
    [{ exec: { command: ["a"] } }, {}, []],
    [{}, {}, [" required: must have a handler: one of exec, httpGet, tcpSocket, sleep"]],
    [{ sleep: { seconds: 30 } }, {}, []],
    [{ sleep: { seconds: 0 } }, {}, []],
    [
      { sleep: { seconds: 31 } },
      {},
      [".sleep.seconds invalid: must be between 0 and terminationGracePeriodSeconds (30)"],
    ],
    [
      { sleep: { seconds: -1 } },
      {},
      [".sleep.seconds invalid: must be between 0 and terminationGracePeriodSeconds (30)"],
    ],
    [{ sleep: { seconds: 60 } }, { terminationGracePeriodSeconds: 60 }, []],
    [
      { sleep: { seconds: 2 } },
      { terminationGracePeriodSeconds: -5 },
      [".sleep.seconds invalid: must be between 0 and terminationGracePeriodSeconds (1)"],
    ],
    [
      { sleep: { seconds: 1 } },
      { terminationGracePeriodSeconds: 0 },
      [".sleep.seconds invalid: must be between 0 and terminationGracePeriodSeconds (0)"],
    ],
    [
      { tcpSocket: { port: 0 }, sleep: { seconds: 1 } },
      {},
      [
        ".sleep forbidden: must not be set, as tcpSocket is: a handler is of one type",
        `.tcpSocket.port invalid: ${PORT}`,
      ],
    ],
  ])("of the lifecycle: %j in %j is refused for %j", (handler, spec, expected) => {
    for (const when of ["postStart", "preStop"]) {
      expect(violationsInContainer({ lifecycle: { [when]: handler as JsonObject } }, spec)).toEqual(
        expected.map((text) => `lifecycle.${when}${text}`),
      );
    }
  });

  const inInit = (part: JsonObject) =>
    violationsInSpec({ initContainers: [{ name: "i", image: "i", ...part }] }).map((text) =>
      text.replace("initContainers[0].", ""),
    );
  it.each(["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"])(
    "are none of an init container: %s",
    (key) => {
      const value = key === "lifecycle" ? { preStop: { exec: { command: ["a"] } } } : { tcpSocket };
      expect(inInit({ [key]: value })).toEqual([
        `${key} forbidden: must not be set for an init container without restartPolicy: Always`,
      ]);
      expect(inInit({ [key]: value, restartPolicy: "Always" })).toEqual([]);
      expect(inInit({ [key]: null })).toEqual([]);
    },
  );

  it("of an init container may be a signal to stop", () => {
    expect(inInit({ lifecycle: { stopSignal: "SIGTERM" } })).toEqual([]);
    expect(inInit({ lifecycle: {} })).toHaveLength(1);
    expect(inInit({ lifecycle: { stopSignal: "SIGTERM", postStart: {} } })).toHaveLength(1);
  });
});

describe("the resources of a container", () => {
  const QUALIFIED =
    'its key must be a name of at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends, after an optional DNS name and "/"';
  const resources = (part: object, spec: JsonObject = {}) =>
    violationsInContainer({ resources: part as JsonObject }, spec).map((text) => text.replace("resources.", ""));
  it.each<Row>([
    [{ limits: { cpu: "1", memory: "1Gi", "ephemeral-storage": "0" }, requests: { cpu: "1", memory: "1Gi" } }, []],
    [{ requests: { cpu: "2", "ephemeral-storage": "1" } }, []],
    [{ limits: { cpu: "-1" } }, ["limits.cpu invalid: must be 0 or more"]],
    [{ requests: { cpu: "-1" } }, ["requests.cpu invalid: must be 0 or more"]],
    [{ limits: { cpu: "1" }, requests: { cpu: "1001m" } }, ["requests.cpu invalid: must not be more than its limit"]],
    [{ limits: { "-": "1" } }, [`limits.- invalid: ${QUALIFIED}`]],
    [
      { limits: { storage: "1" } },
      [
        "limits.storage invalid: must be cpu, memory, ephemeral-storage, hugepages-SIZE or a name with a domain, like example.com/gpu",
      ],
    ],
    [{ limits: { "example.com/gpu": "2" }, requests: { "example.com/gpu": "2" } }, []],
    [{ limits: { "kubernetes.io/batch": "500m" }, requests: { "kubernetes.io/batch": "1m" } }, []],
    [{ limits: { "example.com/gpu": "1500m" } }, ['limits["example.com/gpu"] invalid: must be a whole number']],
    [
      { limits: { "example.com/gpu": "2" }, requests: { "example.com/gpu": "1" } },
      ['requests["example.com/gpu"] invalid: must be equal to its limit: it cannot be overcommitted'],
    ],
    [
      { requests: { "example.com/gpu": "1" } },
      [
        'limits["example.com/gpu"] required: is required, as requests has "example.com/gpu": it cannot be overcommitted',
      ],
    ],
    [
      { limits: { "requests.example.com/gpu": "1" } },
      [
        'limits["requests.example.com/gpu"] invalid: must not start with "requests." and, with that prefix, must still be at most 253 characters before the "/"',
      ],
    ],
    [{ limits: { memory: "1Gi", "hugepages-2Mi": "4Mi" } }, []],
    [{ limits: { cpu: "1", "hugepages-2Mi": "4Mi" } }, []],
    [{ limits: { cpu: "1", "hugepages-2Mi": "3Mi" } }, ["limits.hugepages-2Mi invalid: must be a multiple of 2Mi"]],
    [{ limits: { "hugepages-2Mi": "4Mi" } }, [" forbidden: must have cpu or memory, as it has huge pages"]],
    [
      { limits: { cpu: "1", "hugepages-2Mi": "4Mi" }, requests: { "hugepages-2Mi": "2Mi" } },
      ["requests.hugepages-2Mi invalid: must be equal to its limit: it cannot be overcommitted"],
    ],
    [
      { requests: { cpu: "1", "hugepages-2Mi": "2Mi" } },
      ['limits.hugepages-2Mi required: is required, as requests has "hugepages-2Mi": it cannot be overcommitted'],
    ],
  ])("%j are refused for %j", (part, expected) => {
    expect(resources(part)).toEqual(expected.map((text) => (text.startsWith(" ") ? `resources${text}` : text)));
  });

  const resourceClaims = ["a", "b"].map((name) => ({ name, resourceClaimName: name }));
  const USED = (at: number, name: string) => `claims[${at}].name duplicate: "${name}" is used more than once`;
  it.each<[readonly object[], readonly string[]]>([
    [[{ name: "a" }, { name: "b" }], []],
    [
      [
        { name: "a", request: "x" },
        { name: "a", request: "y" },
      ],
      [],
    ],
    [[{ name: "" }], ["claims[0].name required: is required"]],
    [[{ name: "c" }], ['claims[0].name not-found: must name an item of spec.resourceClaims, not "c"']],
    [[{ name: "a", request: "X" }], [`claims[0].request invalid: ${LABEL}`]],
    [[{ name: "a" }, { name: "a" }], [USED(1, "a")]],
    [
      [
        { name: "a", request: "x" },
        { name: "a", request: "x" },
      ],
      [USED(1, "a")],
    ],
    [[{ name: "a" }, { name: "a", request: "x" }], [USED(1, "a")]],
    [[{ name: "a", request: "x" }, { name: "a" }], [USED(1, "a")]],
    [
      [
        { name: "a", request: "x" },
        { name: "b", request: "x" },
      ],
      [],
    ],
  ])("with the claims %j are refused for %j", (claims, expected) => {
    expect(resources({ claims }, { resourceClaims })).toEqual(expected);
  });

  it("that a runtime class adds have the form of limits", () => {
    expect(violationsInSpec({ overhead: { cpu: "1" } })).toEqual([]);
    expect(violationsInSpec({ overhead: { cpu: "-1" } })).toEqual(["overhead.cpu invalid: must be 0 or more"]);
    expect(violationsInSpec({ overhead: { "hugepages-2Mi": "2Mi" } })).toEqual([
      "overhead forbidden: must have cpu or memory, as it has huge pages",
    ]);
    expect(violationsInSpec({ overhead: { "hugepages-2Mi": "2Mi", memory: "1" } })).toEqual([]);
  });
});

describe("when a container is started again", () => {
  const rule = (part: object) =>
    violationsInContainer({ restartPolicy: "Never", restartPolicyRules: [{ action: "Restart", ...part }] }).map(
      (text) => text.replace("restartPolicyRules[0].", ""),
    );
  it.each<Row>([
    [{ exitCodes: { operator: "In", values: [1] } }, []],
    [{ exitCodes: { operator: "NotIn", values: [1] }, action: "RestartAllContainers" }, []],
    [{}, ["exitCodes required: is required"]],
    [{ exitCodes: { operator: "x" } }, ["exitCodes.operator not-supported: must be one of In, NotIn"]],
    [
      { exitCodes: { operator: "In" }, action: "x" },
      ["action not-supported: must be one of Restart, RestartAllContainers"],
    ],
  ])("is a rule: %j is refused for %j", (part, expected) => {
    expect(rule(part)).toEqual(expected);
  });

  it("is named by its own place, also after one that is as it should be", () => {
    const one = { action: "Restart", exitCodes: { operator: "In", values: [1] } };
    const [first, ...others] = violationsInContainer({
      restartPolicy: "Never",
      restartPolicyRules: [one, { ...one, action: "x" }, { ...one, exitCodes: { operator: "x" } }],
    });
    expect(first).toContain("restartPolicyRules[1].action not-supported");
    expect(others).toEqual(["restartPolicyRules[2].exitCodes.operator not-supported: must be one of In, NotIn"]);
  });

  it("has at most 20 rules, and a policy", () => {
    const one = { action: "Restart", exitCodes: { operator: "In", values: [1] } };
    const rules = (count: number) =>
      violationsInContainer({ restartPolicy: "Never", restartPolicyRules: Array(count).fill(one) });
    expect(rules(20)).toEqual([]);
    expect(rules(21)).toEqual(["restartPolicyRules too-many: must be at most 20"]);
    expect(violationsInContainer({ restartPolicy: "x" })).toEqual([
      "restartPolicy not-supported: must be one of Always, Never, OnFailure",
    ]);
  });

  const resized = (part: object, spec: JsonObject = {}) =>
    violationsInContainer({ resizePolicy: [{ resourceName: "cpu", restartPolicy: "NotRequired", ...part }] }, spec).map(
      (text) => text.replace("resizePolicy[0].", ""),
    );
  it.each<[object, JsonObject, readonly string[]]>([
    [{}, {}, []],
    [{ resourceName: "memory", restartPolicy: "RestartContainer" }, { restartPolicy: "Always" }, []],
    [{ resourceName: "" }, {}, ["resourceName not-supported: must be one of cpu, memory"]],
    [{ restartPolicy: "" }, {}, ["restartPolicy not-supported: must be one of NotRequired, RestartContainer"]],
    [{}, { restartPolicy: "Never" }, []],
    [
      { restartPolicy: "RestartContainer" },
      { restartPolicy: "Never" },
      ["restartPolicy invalid: must be NotRequired when the pod's restartPolicy is Never"],
    ],
  ])("is not where its resources change: %j in %j is refused for %j", (part, spec, expected) => {
    expect(resized(part, spec)).toEqual(expected);
  });

  it("is said once for each resource, and not of an init container", () => {
    const policy = { resourceName: "cpu", restartPolicy: "NotRequired" };
    expect(violationsInContainer({ resizePolicy: [policy, { ...policy }] })).toEqual([
      'resizePolicy[1].resourceName duplicate: must be unique: another policy is for "cpu"',
    ]);
    const init = (part: object) =>
      violationsInSpec({
        initContainers: [
          { name: "i", image: "i", resizePolicy: [{ ...policy, restartPolicy: "RestartContainer" }], ...part },
        ],
      });
    expect(init({})).toEqual([
      "initContainers[0].resizePolicy[0].restartPolicy invalid: must not be RestartContainer for an init container without restartPolicy: Always",
    ]);
    expect(init({ restartPolicy: "Always" })).toEqual([]);
  });
});
