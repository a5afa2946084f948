package apiserver

import (
	"encoding/json"
	"os"
	"sync"
	"testing"

	admissionregistration "k8s.io/api/admissionregistration/v1"
)

// A result is what run.ts compares with the patch that the webhook sent: the pod as the API server stores it.
type result struct {
	Index int             `json:"index"`
	Pod   json.RawMessage `json:"pod"`
	// Whether a second admission of the same pod changed it.
	Again bool `json:"again"`
}

// TestCorpus sends every case through the plugin, and every injected pod a second time.
func TestCorpus(t *testing.T) {
	file, err := os.Create(os.Getenv("RESULTS"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	var mutex sync.Mutex
	results := json.NewEncoder(file)
	for index, one := range readCases(t) {
		t.Run(one.Name, func(t *testing.T) {
			t.Parallel()
			plugin := newPlugin(t, configuration(t, caseURL(index, one.Path), admissionregistration.Fail), one.Namespace)
			pod := decode(t, one.Pod)
			first := admit(plugin, pod, one.Namespace)
			if one.Allowed != (first.err == nil) {
				t.Fatalf("allowed %v expected, found: %v", one.Allowed, first.err)
			}
			if !one.Allowed {
				return
			}
			if !one.Injected {
				if first.mutated() {
					t.Fatal("the pod was changed, and should have been skipped")
				}
				return
			}
			if !first.mutated() {
				t.Fatal("the pod was not changed, and should have been injected")
			}
			second := admit(plugin, first.pod, one.Namespace)
			if second.err != nil {
				t.Fatalf("the injected pod is refused: %v", second.err)
			}
			mutex.Lock()
			defer mutex.Unlock()
			if err := results.Encode(result{index, encode(t, first.pod), second.mutated()}); err != nil {
				t.Fatal(err)
			}
		})
	}
}
