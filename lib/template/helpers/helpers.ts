// All general helpers in one table. lib/injector/render/template-helpers.ts adds its own.

import { arithmeticHelpers } from "./arithmetic.ts";
import { checkHelpers } from "./checks.ts";
import { conversionHelpers } from "./conversions.ts";
import type { HelperTable } from "./helper-table.ts";
import { istioHelpers } from "./istio.ts";
import { listHelpers } from "./lists.ts";
import { logicHelpers } from "./logic.ts";
import { mapHelpers } from "./maps.ts";
import { sequenceHelpers } from "./sequences.ts";
import { stringHelpers } from "./strings.ts";

/** Istio's and Sprig's names wherever they mean the same; arguments in the order of a direct call. */
export const helpers: HelperTable = Object.freeze({
  ...logicHelpers,
  ...stringHelpers,
  ...listHelpers,
  ...mapHelpers,
  ...conversionHelpers,
  ...arithmeticHelpers,
  ...sequenceHelpers,
  ...istioHelpers,
  ...checkHelpers,
});
