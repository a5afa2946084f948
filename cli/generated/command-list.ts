// Made by cli/test/command-list.test.ts: UPDATE_GOLDEN=1 npx vitest run --project unit cli/command-list
// What the help says of each command, so that it need not load them all.

/** Heading → its commands, each with its names, options and arguments as the help has them, and what it does. */
export const COMMAND_LIST: readonly (readonly [
  heading: string,
  commands: readonly (readonly [term: string, description: string])[],
])[] = [
  [
    "Pods:",
    [
      ["start|dev [options]", "serve the injection webhook on this machine"],
      ["studio [options]", "edit templates and preview pods in a browser"],
      ["inject [options]", "inject sidecars into the pods of manifests"],
      ["uninject [options]", "take an injection off the pods of manifests"],
      ["explain [options] [workload]", "say why a pod is injected or not, and with what"],
    ],
  ],
  [
    "Templates and values:",
    [
      ["new", "start a source tree, a template or a test"],
      ["import [options]", "make a source tree from Istio's injector configuration"],
      ["pull [options] [dir]", "write the source tree of a deployment into a directory"],
      ["lint [options] [dir]", "find everything that is wrong with a source tree"],
      ["test [options] [dir]", "run the tests of a source tree"],
      ["values [options]", "show the values of a release, each with the line that sets it"],
      ["samples [options] [dir]", "write samples of the pods that a cluster runs"],
      ["diff [options] <before> <after>", "show what changes between two trees, and in pods"],
      ["push [options] [dir]", "write a directory's edits to Parameter Store"],
      ["publish [options]", "publish the source tree, and wait for it"],
    ],
  ],
  [
    "Releases and channels:",
    [
      ["releases [options]", "list the releases that are kept"],
      ["channel|channels [options] [channel]", "list channels, or show the history of one"],
      ["promote [options] <from> <to>", "move a channel to the release that another channel serves"],
      ["rollout", "watch a rollout, move it on, or take it back"],
      ["rollback [options] <channel> [release]", "move a channel back to an earlier release, and pin it"],
      [
        "pin [options] <channel> [release]",
        "keep a channel where it is, or at a release; with --off, let edits move it again",
      ],
      [
        "repair [options] [dir]",
        "put back what was deleted or damaged of a deployment's parameters, or what a replica lacks",
      ],
    ],
  ],
  [
    "Deployments:",
    [
      ["init [options] <dir>", "make a project folder: settings, templates, tests, and what deploying needs"],
      ["deploy [options]", "deploy Outrigger to an AWS account"],
      ["package [options]", "write what would be deployed, for CloudFormation, Terraform or the CDK"],
      ["undeploy [options]", "remove a deployment; unregister its clusters first"],
    ],
  ],
  [
    "Clusters:",
    [
      ["register [options]", "make an EKS cluster call the webhook, or repair its registration"],
      ["tag [options] <action> [tag]", "list, set or remove the tags of a cluster's revisions"],
      ["check [options]", "check everything from the deployment to the running pods"],
      ["pods [options]", "list the workloads whose pods differ from what new ones would get, and how"],
      ["restart [options] [action]", "restart the workloads whose new pods would differ, one after the other"],
      ["token", "the tokens that identify clusters"],
      ["unregister [options]", "remove the webhooks of an EKS cluster, its alarm and its record"],
      ["off [options]", "admit every pod, whatever happens to the webhook; needs a kubeconfig only"],
      ["clusters [options]", "list the registered clusters and what they are served"],
    ],
  ],
  [
    "This tool:",
    [
      ["print", "print what you apply or attach yourself: webhook, roles, policies, schema, helpers"],
      ["completion <shell> [names] [words...]", "print the completion for a shell"],
    ],
  ],
];
