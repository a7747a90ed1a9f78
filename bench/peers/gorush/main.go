// gorush as its own program starts it, with its own queue. Its address of Apple is fixed, so this program replaces how
// apns2, on which it stands, connects: `apns2.DialTLS` is made for that.
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strconv"

	"github.com/appleboy/gorush/app"
	"github.com/appleboy/gorush/config"
	"github.com/appleboy/gorush/logx"
	"github.com/appleboy/gorush/notify"
	"github.com/appleboy/gorush/router"
	"github.com/appleboy/gorush/status"
	"github.com/sideshow/apns2"
)

type settings struct {
	Host, KeyFile, KeyID, TeamID string
	Port, InFlight, ListenPort   int
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	var given settings
	line, err := lines.ReadBytes('\n')
	check(err)
	check(json.Unmarshal(line, &given))
	apns2.DialTLS = func(network, _ string, options *tls.Config) (net.Conn, error) {
		options = options.Clone()
		options.ServerName = given.Host
		return tls.Dial(network, net.JoinHostPort(given.Host, strconv.Itoa(given.Port)), options)
	}

	cfg, err := config.LoadConf()
	check(err)
	cfg.Core.Address = "127.0.0.1"
	cfg.Core.Port = strconv.Itoa(given.ListenPort)
	cfg.Core.WorkerNum = int64(given.InFlight)
	cfg.Core.QueueNum = 1_000_000
	cfg.Android.Enabled = false
	cfg.Ios.Enabled = true
	cfg.Ios.Production = true
	cfg.Ios.KeyPath = given.KeyFile
	cfg.Ios.KeyID = given.KeyID
	cfg.Ios.TeamID = given.TeamID
	cfg.Ios.MaxConcurrentPushes = uint(given.InFlight)
	// Without a line of log for each push, which would only slow it.
	check(logx.InitLog("error", "stderr", "error", "stderr"))
	check(notify.CheckPushConf(cfg))
	check(status.InitAppStatus(cfg))
	worker, err := app.NewQueueWorker(cfg)
	check(err)
	queue := app.NewQueuePool(cfg, worker)
	ctx, stop := context.WithCancel(context.Background())
	check(notify.InitAPNSClient(ctx, cfg))
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		stop()
	}()
	fmt.Printf("{\"url\":\"http://127.0.0.1:%d\"}\n", given.ListenPort)
	check(router.RunHTTPServer(ctx, cfg, queue))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
