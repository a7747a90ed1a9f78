// The conformance server on Go's net/http: main PORT CERTIFICATE KEY.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
)

func main() {
	var mutex sync.Mutex
	requests := map[string]int{}
	http.HandleFunc("/requests", func(w http.ResponseWriter, r *http.Request) {
		mutex.Lock()
		defer mutex.Unlock()
		total := 0
		for _, count := range requests {
			total += count
		}
		w.WriteHeader(203)
		fmt.Fprintf(w, "%d %d", len(requests), total)
	})
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(400)
			return
		}
		mutex.Lock()
		requests[r.URL.Path]++
		mutex.Unlock()
		w.Header().Set("x-own", r.Header.Get("x-own"))
		w.WriteHeader(201)
		fmt.Fprintf(w, "%s %d", r.URL.Path, len(body))
	})
	fmt.Println(http.ListenAndServeTLS("127.0.0.1:"+os.Args[1], os.Args[2], os.Args[3], nil))
}
