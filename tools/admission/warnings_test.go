package apiserver

import (
	"context"
	"sync"

	"k8s.io/apiserver/pkg/warning"
)

// warnings collects what kubectl would print.
type warnings struct {
	mutex sync.Mutex
	texts []string
}

func (w *warnings) AddWarning(_, text string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.texts = append(w.texts, text)
}

func withWarnings(ctx context.Context, recorder *warnings) context.Context {
	return warning.WithWarningRecorder(ctx, recorder)
}
