// Share 4 of 4 of the property over pods that an API server accepts.
import { describeAcceptedPods } from "../../test/fuzz/accepted-pods-share.ts";

describeAcceptedPods(4);
