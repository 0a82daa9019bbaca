#!/usr/bin/env bash
# Run a command with a Docker daemon that has the base image of the functions.
#
#   docker.sh ARCHITECTURE COMMAND...
#
# Where a daemon answers, that one is used. With CI=true one is started from
# Debian's docker.io (as root, with folders of its own) and ended afterwards,
# and the base image is made of busybox: SAM CLI wants a shell and a few
# commands in it, and the functions want nothing at all.
set -euo pipefail
arch=$1; shift
image=public.ecr.aws/lambda/provided:al2023-$arch

started=
dir=
finish() {
  if [ -n "$started" ]; then kill "$started" 2>/dev/null && wait "$started" 2>/dev/null || true; fi
  if [ -n "$dir" ]; then rm -rf "$dir" || true; fi
}
trap finish EXIT

if ! docker version >/dev/null 2>&1; then
  if [ "${CI:-}" != true ]; then
    echo "Docker does not answer: install it (https://docs.docker.com/get-docker/) and start it" >&2
    exit 1
  fi
  if ! command -v dockerd >/dev/null || ! command -v busybox >/dev/null || ! command -v iptables >/dev/null; then
    { apt-get update -qq && apt-get install -qqy --no-install-recommends docker.io busybox-static iptables; } >/dev/null
  fi
  dir=$(mktemp -d)
  export DOCKER_HOST=unix://$dir/docker.sock
  dockerd --storage-driver=vfs --data-root "$dir/data" --exec-root "$dir/exec" --pidfile "$dir/pid" --host "$DOCKER_HOST" >"$dir/log" 2>&1 &
  started=$!
  for _ in $(seq 100); do
    docker version >/dev/null 2>&1 && break
    kill -0 "$started" 2>/dev/null || break
    sleep 0.2
  done
  docker version >/dev/null 2>&1 || { echo "dockerd does not start:" >&2; tail -20 "$dir/log" >&2; exit 1; }
fi

if [ "${CI:-}" = true ] && ! docker image inspect "$image" >/dev/null 2>&1; then
  base=$(mktemp -d)
  mkdir -p "$base"/{bin,etc,tmp,var/task,var/rapid}
  cp "$(command -v busybox)" "$base/bin/busybox"
  for c in sh mv chmod cp ls cat mkdir rm env; do ln -s busybox "$base/bin/$c"; done
  echo "root:x:0:0:root:/:/bin/sh" >"$base/etc/passwd"
  tar -C "$base" -c . | docker import - "$image" >/dev/null
  rm -rf "$base"
fi

"$@"
