// The table of settings in docs/reference/settings.md, from the schema that validates them and the sentence of each.
import { SETTINGS } from "../../../infra/settings/schema.ts";
import { SETTING_SENTENCES } from "../../pages/reference/tables.ts";

/** Markdown, its line break included. */
export function settingsTable(): string {
  const rows = SETTINGS.map(({ name, default: text, kind }) => {
    const usual = text === "" ? "none" : `\`${text}\``;
    const form = /^(on, off|http|create|Standard|empty)/.test(kind.form) ? kind.form.replace("empty, ", "") : kind.form;
    return `| \`${name}\` | ${usual} | ${form.replace(", or empty", "")} | ${SETTING_SENTENCES[name]} |\n`;
  });
  return `| setting | default | may be | what |\n|---|---|---|---|\n${rows.join("")}`;
}
