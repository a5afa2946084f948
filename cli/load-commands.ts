// Every command and the file that it is in. A run loads the one that it is asked for: most of the tool is nobody's at once.
import type { Command } from "commander";
import type { Io } from "./terminal/io.ts";

type AddCommand = (program: Command, io: Io) => void;

/** Heading in the help → its commands, in the order in which a person meets them. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, () => Promise<AddCommand>>>>> = {
  "Pods:": {
    start: async () => (await import("./commands/pods/start.ts")).addStartCommand,
    studio: async () => (await import("./commands/pods/studio.ts")).addStudioCommand,
    inject: async () => (await import("./commands/pods/inject.ts")).addInjectCommand,
    uninject: async () => (await import("./commands/pods/uninject.ts")).addUninjectCommand,
    explain: async () => (await import("./commands/pods/explain.ts")).addExplainCommand,
  },
  "Templates and values:": {
    new: async () => (await import("./commands/templates/new.ts")).addNewCommand,
    import: async () => (await import("./commands/templates/import.ts")).addImportCommand,
    pull: async () => (await import("./commands/templates/pull.ts")).addPullCommand,
    lint: async () => (await import("./commands/templates/lint.ts")).addLintCommand,
    test: async () => (await import("./commands/templates/test.ts")).addTestCommand,
    values: async () => (await import("./commands/templates/values.ts")).addValuesCommand,
    diff: async () => (await import("./commands/templates/diff.ts")).addDiffCommand,
    push: async () => (await import("./commands/templates/push.ts")).addPushCommand,
    publish: async () => (await import("./commands/templates/publish.ts")).addPublishCommand,
  },
  "Releases and channels:": {
    releases: async () => (await import("./commands/releases/releases.ts")).addReleasesCommand,
    channel: async () => (await import("./commands/releases/channel.ts")).addChannelCommand,
    promote: async () => (await import("./commands/releases/promote.ts")).addPromoteCommand,
    rollout: async () => (await import("./commands/releases/rollout.ts")).addRolloutCommand,
    rollback: async () => (await import("./commands/releases/rollback.ts")).addRollbackCommand,
    pin: async () => (await import("./commands/releases/rollback.ts")).addPinCommand,
    repair: async () => (await import("./commands/releases/repair.ts")).addRepairCommand,
  },
  "Deployments:": {
    init: async () => (await import("./commands/deployments/init.ts")).addInitCommand,
    deploy: async () => (await import("./commands/deployments/deploy.ts")).addDeployCommand,
    package: async () => (await import("./commands/deployments/package.ts")).addPackageCommand,
    undeploy: async () => (await import("./commands/deployments/deploy.ts")).addUndeployCommand,
  },
  "Clusters:": {
    register: async () => (await import("./commands/clusters/register.ts")).addRegisterCommand,
    check: async () => (await import("./commands/clusters/check.ts")).addCheckCommand,
    pods: async () => (await import("./commands/clusters/pods.ts")).addPodsCommand,
    restart: async () => (await import("./commands/clusters/restart.ts")).addRestartCommand,
    token: async () => (await import("./commands/clusters/token.ts")).addTokenCommand,
    unregister: async () => (await import("./commands/clusters/unregister.ts")).addUnregisterCommand,
    off: async () => (await import("./commands/clusters/off.ts")).addOffCommand,
    clusters: async () => (await import("./commands/clusters/clusters.ts")).addClustersCommand,
  },
  "This tool:": {
    print: async () => (await import("./commands/print/print.ts")).addPrintCommand,
    completion: async () => (await import("./commands/tool/completion.ts")).addCompletionCommand,
  },
};

/** Adds all commands under their headings, or one. */
export async function addCommands(program: Command, io: Io, only?: string): Promise<void> {
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const [name, load] of Object.entries(commands)) {
      if (only === undefined || only === name) (await load())(program, io);
    }
  }
}
