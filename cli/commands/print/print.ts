// `outrigger print`: what others apply, attach or read: objects, policies, schemas. Makes no calls.
import type { Command } from "commander";
import type { Io } from "../../terminal/io.ts";
import { addPrintHelpersCommand } from "./helpers.ts";
import { addPrintPolicyCommand } from "./policy.ts";
import { addPrintRbacCommand } from "./rbac.ts";
import { addPrintSchemaCommand } from "./schema.ts";
import { addPrintWebhookCommand } from "./webhook.ts";

export function addPrintCommand(program: Command, io: Io): void {
  const print = program
    .command("print")
    .description("print what you apply or attach yourself: webhook, roles, policies, schema, helpers");
  for (const add of [
    addPrintWebhookCommand,
    addPrintRbacCommand,
    addPrintPolicyCommand,
    addPrintSchemaCommand,
    addPrintHelpersCommand,
  ]) {
    add(print, io);
  }
}
