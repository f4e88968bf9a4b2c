// Reads a container's resource usage, twice from a stream and once without a stream: stats CONTAINER
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/client"
)

func main() {
	ctx := context.Background()
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	check(err)
	defer cli.Close()

	stream, err := cli.ContainerStats(ctx, os.Args[1], true)
	check(err)
	readings := json.NewDecoder(stream.Body)
	var first, second types.StatsJSON
	check(readings.Decode(&first))
	check(readings.Decode(&second))
	check(stream.Body.Close())
	fmt.Println(first.Name, second.Read.After(first.Read), second.PreRead.Equal(first.Read))
	fmt.Println(second.CPUStats.CPUUsage.TotalUsage >= first.CPUStats.CPUUsage.TotalUsage, second.MemoryStats.Limit)

	once, err := cli.ContainerStatsOneShot(ctx, os.Args[1])
	check(err)
	defer once.Body.Close()
	var reading types.StatsJSON
	check(json.NewDecoder(once.Body).Decode(&reading))
	fmt.Println(reading.PidsStats.Current, reading.MemoryStats.Usage > 0, len(reading.Networks), reading.PreRead.IsZero())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
