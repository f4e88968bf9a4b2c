// Calls the other operations on containers, one after the other, and prints their results: life IMAGE
package main

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"
)

func main() {
	ctx := context.Background()
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	check(err)
	defer cli.Close()

	config := container.Config{Image: os.Args[1], Cmd: []string{"sh", "-c", "touch /new; exec sleep 1000"}}
	created, err := cli.ContainerCreate(ctx, &config, &container.HostConfig{}, nil, nil, "first-name")
	check(err)
	id := created.ID
	state := func(done string) {
		now, err := cli.ContainerInspect(ctx, id)
		check(err)
		fmt.Println(done, now.Name, now.State.Status)
	}
	state("create")
	check(cli.ContainerStart(ctx, id, types.ContainerStartOptions{}))
	check(cli.ContainerRename(ctx, id, "second-name"))
	state("rename")
	check(cli.ContainerPause(ctx, id))
	state("pause")
	check(cli.ContainerUnpause(ctx, id))
	state("unpause")
	patience := time.Duration(0)
	check(cli.ContainerRestart(ctx, id, &patience))
	state("restart")

	// Waits until the process is the sleep: by then, the shell has created the file.
	command := ""
	for ; command != "sleep 1000"; time.Sleep(10 * time.Millisecond) {
		processes, err := cli.ContainerTop(ctx, id, nil)
		check(err)
		command = processes.Processes[0][len(processes.Titles)-1]
	}
	fmt.Println("top", command)
	changes, err := cli.ContainerDiff(ctx, id)
	check(err)
	for _, change := range changes {
		fmt.Println("diff", change.Kind, change.Path)
	}
	limits := container.UpdateConfig{Resources: container.Resources{Memory: 64 << 20, MemorySwap: 128 << 20}}
	_, err = cli.ContainerUpdate(ctx, id, limits)
	check(err)
	sized, _, err := cli.ContainerInspectWithRaw(ctx, id, true)
	check(err)
	fmt.Println("update", sized.HostConfig.Memory, sized.SizeRootFs != nil && *sized.SizeRootFs > 0)
	whole, err := cli.ContainerExport(ctx, id)
	check(err)
	fmt.Println("export", has(whole, "new"))
	used, err := cli.DiskUsage(ctx)
	check(err)
	fmt.Println("disk usage", len(used.Containers), used.LayersSize > 0)

	check(cli.ContainerKill(ctx, id, "KILL"))
	ended, failed := cli.ContainerWait(ctx, id, container.WaitConditionNotRunning)
	select {
	case err := <-failed:
		check(err)
	case end := <-ended:
		fmt.Println("kill", end.StatusCode)
	}
	pruned, err := cli.ContainersPrune(ctx, filters.NewArgs())
	check(err)
	fmt.Println("prune", len(pruned.ContainersDeleted), pruned.ContainersDeleted[0] == id)
}

// has reads a tar to its end, and returns whether it has an entry of that name.
func has(archive io.ReadCloser, name string) bool {
	defer archive.Close()
	found := false
	entries := tar.NewReader(archive)
	for {
		entry, err := entries.Next()
		if err == io.EOF {
			return found
		}
		check(err)
		found = found || entry.Name == name
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
