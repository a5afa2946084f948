// Share 4 of 4 of the property over pods that an API server accepts.
import { describeAcceptedPods } from "../../../tools/fuzz/accepted-pods-share.ts";

describeAcceptedPods(4);
