package apiserver

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	"k8s.io/kubernetes/pkg/apis/core"
)

const (
	calls    = 10_000
	parallel = 16
)

// TestManyCalls sends pods that all differ, in parallel: none is lost, and no answer belongs to another pod.
func TestManyCalls(t *testing.T) {
	plugin := newPlugin(t, configuration(t, os.Getenv("WEBHOOK_URL")+"/shipped/inject", admissionregistration.Fail), "shop")
	numbers := make(chan int)
	var failures sync.Map
	var group sync.WaitGroup
	for range parallel {
		group.Add(1)
		go func() {
			defer group.Done()
			for number := range numbers {
				name := fmt.Sprintf("web-%d", number)
				text := strings.ReplaceAll(plainPod, `"web"`, fmt.Sprintf("%q", name))
				if fault := faultOf(name, admit(plugin, decode(t, []byte(text)), "shop")); fault != "" {
					failures.Store(number, fault)
				}
			}
		}()
	}
	for number := range calls {
		numbers <- number
	}
	close(numbers)
	group.Wait()
	failures.Range(func(number, fault any) bool {
		t.Errorf("call %v: %v", number, fault)
		return false
	})
}

// faultOf says what is wrong with the answer for the pod of that name, or nothing.
func faultOf(name string, answered answer) string {
	if answered.err != nil {
		return answered.err.Error()
	}
	if label := answered.pod.(*core.Pod).Labels["service.istio.io/canonical-name"]; label != name {
		return fmt.Sprintf("the answer belongs to %q", label)
	}
	if !answered.mutated() {
		return "the pod was not injected"
	}
	return ""
}
