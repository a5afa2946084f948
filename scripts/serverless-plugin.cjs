// The entry point of the plugin: the Serverless framework loads JavaScript only, so this loads TypeScript with tsx, which
// is registered for that long. CommonJS, because the framework requires plugins.
const { register } = require("tsx/cjs/api");

const unregister = register();
const { deployPlugin } = require("../infra/deploy-plugin.ts");
const { buildArtifacts } = require("./build/package-functions.ts");
unregister();

/** The framework calls this with `new`; what it returns is the plugin. */
module.exports = function OutriggerPlugin(serverless) {
  return deployPlugin(serverless, { buildArtifacts });
};
