// What serverless.yml reads: the settings of the stage and the Region, each as a function of the framework's variables.
import { objectOf } from "@outrigger/base";
import { regionFromCommand, settingsFromCommand } from "./from-command.ts";
import { frameworkParameters, primaryStageOf, tagsOf } from "./read.ts";

export const params = (variables: unknown) => frameworkParameters(settingsFromCommand(optionsOf(variables)));
export const tags = (variables: unknown) => tagsOf(settingsFromCommand(optionsOf(variables)));
export const primaryStage = (variables: unknown) => primaryStageOf(settingsFromCommand(optionsOf(variables)));
export const region = (variables: unknown) => regionFromCommand(optionsOf(variables));

function optionsOf(variables: unknown): unknown {
  return objectOf(variables)["options"];
}
