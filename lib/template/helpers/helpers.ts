// All general helpers in one table. lib/injector/render/injection-helpers.ts adds its own.

import { arithmeticHelpers } from "./arithmetic.ts";
import { choiceHelpers } from "./choices.ts";
import { comparisonHelpers } from "./comparisons.ts";
import { conversionHelpers } from "./conversions.ts";
import { encodingHelpers } from "./encodings.ts";
import type { HelperTable } from "./helper.ts";
import { istioHelpers } from "./istio.ts";
import { jsonHelpers } from "./json.ts";
import { listHelpers } from "./lists.ts";
import { mapHelpers } from "./maps.ts";
import { patternHelpers } from "./patterns.ts";
import { stringHelpers } from "./strings.ts";

/** Istio's and Sprig's names wherever they mean the same; arguments in the order of a direct call. */
export const helpers = Object.freeze({
  ...comparisonHelpers,
  ...choiceHelpers,
  ...arithmeticHelpers,
  ...conversionHelpers,
  ...jsonHelpers,
  ...patternHelpers,
  ...encodingHelpers,
  ...stringHelpers,
  ...listHelpers,
  ...mapHelpers,
  ...istioHelpers,
}) satisfies HelperTable;
