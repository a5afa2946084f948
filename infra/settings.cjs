// What serverless.yml reads: the settings of the stage and the Region. CommonJS, because the framework requires this file.
const { register } = require("tsx/cjs/api");

const unregister = register();
const { frameworkParameters, primaryStageOf, tagsOf } = require("./settings/read.ts");
const { settingsFromCommand, regionFromCommand } = require("./settings/from-command.ts");
unregister();

module.exports = {
  params: ({ options }) => frameworkParameters(settingsFromCommand(options)),
  tags: ({ options }) => tagsOf(settingsFromCommand(options)),
  primaryStage: ({ options }) => primaryStageOf(settingsFromCommand(options)),
  region: ({ options }) => regionFromCommand(options),
};
