#!/bin/sh
# Compiles the peers' drivers into target/bench, against the headers that Pinocchio's package brings.
set -e
cd "$(dirname "$0")/../.."
prefix=$(echo "$PWD"/target/bench/venv/lib/python3*/site-packages/cmeel.prefix)
c++ -O3 -march=native peers/drivers/peak.cpp -o target/bench/peak
c++ -O3 -march=native -DNDEBUG -std=c++17 \
  -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS \
  -DBOOST_FUSION_INVOKE_MAX_ARITY=12 \
  -I"$prefix/include" -I/usr/include/eigen3 \
  peers/drivers/pinocchio.cpp -o target/bench/pinocchio
