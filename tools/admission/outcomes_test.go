package apiserver

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/apis/core"
)

// Answered after three seconds.
const slow = "/slow/inject"

const plainPod = `{"metadata":{"name":"web","labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"web"}]}}`

// TestOutcomes walks the outcome table: what the API server makes of each answer, for both failure policies.
func TestOutcomes(t *testing.T) {
	bad := strings.Replace(plainPod, `"labels"`, `"annotations":{"sidecar.istio.io/proxyCPU":"many"},"labels"`, 1)
	broken := strings.Replace(plainPod, `"app":"web"`, `"app":"broken"`, 1)
	skipped := strings.Replace(plainPod, `"spec":{`, `"spec":{"hostNetwork":true,`, 1)
	rows := []struct {
		name, path, pod string
		// What happens to the pod under Ignore and under Fail: injected, unchanged or rejected.
		ignore, fail string
	}{
		{"injected", "/shipped/inject", plainPod, "injected", "injected"},
		{"not ours to inject", "/shipped/inject", skipped, "unchanged", "unchanged"},
		{"the author's fault", "/shipped/inject", bad, "rejected", "rejected"},
		{"an unknown token", "/tokens/t/0123456789abcdefghijkl/inject", plainPod, "unchanged", "rejected"},
		{"the operator's fault", "/broken/inject", broken, "unchanged", "rejected"},
		{"a timeout", slow, plainPod, "unchanged", "rejected"},
		{"a cut connection", "/cut/inject", plainPod, "unchanged", "rejected"},
	}
	for _, row := range rows {
		for policy, expected := range map[admissionregistration.FailurePolicyType]string{
			admissionregistration.Ignore: row.ignore, admissionregistration.Fail: row.fail,
		} {
			t.Run(fmt.Sprintf("%s/%s", row.name, policy), func(t *testing.T) {
				configured := configuration(t, os.Getenv("WEBHOOK_URL")+row.path, policy)
				// Only what is never answered in time waits for the end of it: the others may run where processors are busy.
				seconds := int32(10)
				if row.path == slow {
					seconds = 1
				}
				for index := range configured.Webhooks {
					configured.Webhooks[index].TimeoutSeconds = &seconds
				}
				plugin := newPlugin(t, configured, "shop")
				started := time.Now()
				answered := admit(plugin, decode(t, []byte(row.pod)), "shop")
				if took := time.Since(started); row.path == slow && took > 5*time.Second {
					t.Errorf("the API server waited %v", took)
				}
				if found := outcome(answered); found != expected {
					t.Errorf("%s expected, %s found: %v", expected, found, answered.err)
				}
			})
		}
	}
}

func outcome(answered answer) string {
	if answered.err != nil {
		return "rejected"
	}
	if answered.mutated() {
		return "injected"
	}
	return "unchanged"
}

// TestAuditAnnotations reads what the API server keeps of an injection.
func TestAuditAnnotations(t *testing.T) {
	plugin := newPlugin(t, configuration(t, os.Getenv("WEBHOOK_URL")+"/shipped/inject", admissionregistration.Fail), "shop")
	answered := admit(plugin, decode(t, []byte(plainPod)), "shop")
	if answered.err != nil {
		t.Fatal(answered.err)
	}
	if answered.note("decision") != "injected" || answered.note("templates") != "sidecar" || answered.note("release") == "" {
		t.Errorf("decision, templates and release expected, found %v", answered.annotations)
	}
}

// TestReinvocation has another webhook's change between two calls: a container more, and the injection still whole.
func TestReinvocation(t *testing.T) {
	plugin := newPlugin(t, configuration(t, os.Getenv("WEBHOOK_URL")+"/shipped/inject", admissionregistration.Fail), "shop")
	first := admit(plugin, decode(t, []byte(plainPod)), "shop")
	if first.err != nil {
		t.Fatal(first.err)
	}
	changed := first.pod.DeepCopyObject().(*core.Pod)
	changed.Spec.Containers = append(changed.Spec.Containers, core.Container{
		Name: "agent", Image: "agent", ImagePullPolicy: core.PullAlways,
		TerminationMessagePath: v1.TerminationMessagePathDefault, TerminationMessagePolicy: core.TerminationMessageReadFile,
	})
	second := admit(plugin, changed, "shop")
	if second.err != nil {
		t.Fatal(second.err)
	}
	pod := second.pod.(*core.Pod)
	names := map[string]int{}
	for _, container := range append(append([]core.Container{}, pod.Spec.Containers...), pod.Spec.InitContainers...) {
		names[container.Name]++
	}
	if names["web"] != 1 || names["agent"] != 1 || names["istio-proxy"] != 1 {
		t.Errorf("each container once expected, found %v", names)
	}
	third := admit(plugin, second.pod, "shop")
	if third.err != nil || third.mutated() {
		t.Errorf("a third call changed the pod again: %v", third.err)
	}
}
