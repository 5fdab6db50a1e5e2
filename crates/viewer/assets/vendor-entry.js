export {
  AmbientLight, AxesHelper, BoxGeometry, BufferAttribute, BufferGeometry, CatmullRomCurve3, CircleGeometry, Color, ConeGeometry,
  CylinderGeometry, DirectionalLight, DoubleSide, GridHelper, Group, HemisphereLight, LatheGeometry, Matrix4, Mesh,
  MeshBasicMaterial, MeshStandardMaterial, OrthographicCamera, PCFShadowMap, PerspectiveCamera, PlaneGeometry,
  Quaternion, Raycaster, Scene, ShadowMaterial, SphereGeometry, TubeGeometry, Vector2, Vector3, WebGLRenderer,
} from "three";
export { OrbitControls } from "three/addons/controls/OrbitControls.js";
export { Line2 } from "three/addons/lines/Line2.js";
export { LineGeometry } from "three/addons/lines/LineGeometry.js";
export { LineMaterial } from "three/addons/lines/LineMaterial.js";
export { default as uPlot } from "uplot";
