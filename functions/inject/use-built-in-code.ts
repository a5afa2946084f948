// Node ships the compiled code of its own modules, and V8 accepts it only under the flags that it was compiled with. Lambda
// starts Node with --expose-gc, which is another set of flags: each of Node's modules is then compiled from its source. This
// module restores the flags. It is imported first, before anything that loads a module of Node's (docs/contributing/adr/0003-bundle-format.md).

// The function gc() stays. Elsewhere there is nothing to restore, and loading node:v8 would take time.
if ("gc" in globalThis) process.getBuiltinModule("node:v8").setFlagsFromString("--no-expose-gc");
