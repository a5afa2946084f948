// What serverless.yml reads in a clone: infra/settings/framework-values.ts. CommonJS, because the framework requires this file.
const { register } = require("tsx/cjs/api");

const unregister = register();
module.exports = { ...require("./settings/framework-values.ts") };
unregister();
