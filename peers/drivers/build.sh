#!/bin/sh
# Compiles the peers' drivers into target/bench, side by side, each if its source or a header of ours is newer, against the headers and libraries that the peers'
# packages bring. One that does not compile holds up no other: what the compiler said stands in target/bench/NAME.log, and the parts that need it say so.
cd "$(dirname "$0")/../.."
packages=$(echo "$PWD"/target/bench/venv/lib/python3*/site-packages)
pinocchio="-DNDEBUG -std=c++17 -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS
  -DBOOST_FUSION_INVOKE_MAX_ARITY=12 -isystem $packages/cmeel.prefix/include -isystem /usr/include/eigen3"

# build SOURCE RESULT FLAG…; warnings are about the headers of others.
build() {
  source=peers/drivers/$1
  result=target/bench/$2
  shift 2
  if [ ! "$result" -nt "$source" ] || [ -n "$(find peers/drivers -name '*.h*' -newer "$result")" ]; then
    echo "compiling $source"
    rm -f "$result"
    if c++ -w "$source" "$@" -o "$result" >"$result.log" 2>&1; then
      rm -f "$result.log"
    else
      echo "$source does not compile, see $result.log"
    fi
  fi
}

build peak.cpp peak -O3 -march=native &
build pinocchio.cpp pinocchio -O3 -march=native $pinocchio &
# The functions as the package brings them, compiled by its makers.
library=$packages/cmeel.prefix/lib
build pinocchio.cpp pinocchio_package -O3 $pinocchio -DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION -L"$library" -lpinocchio_default -Wl,-rpath,"$library" &
# This one writes code and is not timed itself.
build pinocchio_casadi.cpp pinocchio_casadi -O0 $pinocchio -I"$packages/casadi/include" -L"$packages/casadi" -lcasadi -Wl,-rpath,"$packages/casadi" &
build simbody.cpp simbody -O3 -march=native -std=c++17 -isystem /usr/include/simbody -lSimTKsimbody -lSimTKmath -lSimTKcommon &
build drake.cpp drake.so -O2 -std=c++17 -shared -fPIC -isystem /usr/include/eigen3 -L"$packages/pydrake/lib" -ldrake -Wl,-rpath,"$packages/pydrake/lib" &
wait
