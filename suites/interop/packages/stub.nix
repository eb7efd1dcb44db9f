# Evaluates a flake with a stub of nixpkgs, which no test can fetch: `nix-instantiate --eval --strict --json --argstr flake FILE`.
# A name that the flake misspells is an error here, and what the stub receives is the result.
{ flake }:
let
  pkgs = {
    stdenvNoCC.mkDerivation = attributes: attributes // { outPath = "/nix/store/assay"; };
    stdenv.cc.cc.lib = "libgcc";
    autoPatchelfHook = "autoPatchelfHook";
    fetchurl = { url, hash }: { inherit url hash; };
    lib = {
      optional = condition: value: if condition then [ value ] else [ ];
      licenses = { mit = "MIT"; asl20 = "Apache-2.0"; };
      sourceTypes.binaryNativeCode = "binaryNativeCode";
    };
  };
  systems = { x86_64-linux = pkgs; aarch64-linux = pkgs; };
  outputs = (import flake).outputs { self = { }; nixpkgs.legacyPackages = systems; };
  shown = package: { inherit (package) version src nativeBuildInputs; };
in
{
  packages = builtins.mapAttrs (_: one: shown one.default) outputs.packages;
  programs = builtins.mapAttrs (_: one: one.default.program) outputs.apps;
}
