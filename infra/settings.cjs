// What serverless.yml reads: the settings of the stage and the Region. CommonJS, because the framework requires this file.
const { register } = require("tsx/cjs/api");

const unregister = register();
const { frameworkParameters } = require("./settings/read.ts");
const { settingsFromCommand, regionFromCommand } = require("./settings/from-command.ts");
unregister();

module.exports = {
  params: ({ options }) => frameworkParameters(settingsFromCommand(options)),
  region: ({ options }) => regionFromCommand(options),
};
