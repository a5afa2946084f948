// Windows containers: who they run as.

import type { WindowsSecurityContextOptions } from "../../generated/pod-types.ts";
import { byteLength, isDnsSubdomain, SUBDOMAIN_FORM } from "../../names.ts";
import { type Check, report } from "../check.ts";
import { asText, isPresent } from "../zero-values.ts";

const MAX_SPEC_BYTES = 64 * 1024;
const MAX_DOMAIN = 256;
const MAX_USER = 104;

/** core/validation: validateWindowsSecurityContextOptions. */
export function checkWindowsOptions(options: WindowsSecurityContextOptions, check: Check): void {
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  if (isPresent(gmsaCredentialSpecName) && !isDnsSubdomain(asText(gmsaCredentialSpecName))) {
    report(check, "invalid", SUBDOMAIN_FORM, "gmsaCredentialSpecName");
  }
  if (isPresent(gmsaCredentialSpec)) {
    const spec = asText(gmsaCredentialSpec);
    if (spec === "" || byteLength(spec) > MAX_SPEC_BYTES)
      report(check, "invalid", "must be between 1 byte and 64 KiB", "gmsaCredentialSpec");
  }
  if (!isPresent(runAsUserName)) return;
  const message = explainUser(asText(runAsUserName));
  if (message !== undefined) report(check, "invalid", message, "runAsUserName");
}

function explainUser(name: string): string | undefined {
  if (name === "") return "must not be empty";
  if (hasControlCharacter(name)) return "must not contain control characters";
  const parts = name.split("\\");
  if (parts.length > 2) return "must contain at most one backslash";
  const [user, domain] = [parts.at(-1) ?? "", parts.length === 2 ? parts[0] : undefined];
  if (domain !== undefined && (domain.length >= MAX_DOMAIN || !(NETBIOS.test(domain) || isDnsDomain(domain)))) {
    return "must have a NetBIOS or DNS name before the backslash";
  }
  if (user === "" || user.length > MAX_USER) return "must have a user name of 1 to 104 characters";
  if (/^[. ]+$/.test(user)) return "must not have a user name of periods and blanks only";
  return /["/\\:;|=,+*?<>@[\]]/.test(user) ? 'must not have any of "/\\:;|=,+*?<>@[] in the user name' : undefined;
}

const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;

function hasControlCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code === 127) return true;
  }
  return false;
}

function isDnsDomain(domain: string): boolean {
  return domain.split(".").every((label) => /^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/.test(label));
}
